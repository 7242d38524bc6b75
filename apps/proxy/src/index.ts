/**
 * The broker proxy: copies brokers and visibilities of a service manager into one platform.
 *
 * `startProxy` runs one for a platform, which is a {@link PlatformAdapter}: `createKubernetesAdapter` or
 * `createCloudFoundryAdapter`.
 */
export {
  type CloudFoundryOptions,
  createCloudFoundryAdapter,
} from './adapters/cloud-foundry/create-cloud-foundry-adapter.ts';
export { createKubernetesAdapter, type KubernetesOptions } from './adapters/kubernetes/create-kubernetes-adapter.ts';
export type { PlatformAdapter } from './ports.ts';
export { type Proxy, type ProxyOptions, startProxy } from './run-proxy.ts';
export type { ProxySettings } from './settings.ts';
