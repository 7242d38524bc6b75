/**
 * The service mesh: sends each proxy its endpoints, routes and policies over xDS.
 *
 * - `openMeshControlPlane`: the discovery server (xDS), the service catalog behind it, certificates, and the REST routes.
 * - `defaultEndpointsProviders`, `createPolledEndpoints`: the built-in endpoints providers, and a way to add another.
 * - Other entry points: `./agent` (commands and agents beside workloads), `./admission` (rules of the kinds),
 *   `./kinds` (declarations for the kernel), `./endpoints-provider-contract` (the contract suite of providers).
 */

export { type CloudSettings, readCloudSettings } from './endpoints/clouds/cloud-settings.ts';
export { defaultEndpointsProviders } from './endpoints/default-providers.ts';
export { createPolledEndpoints, type PolledEndpointsOptions } from './endpoints/polled-endpoints.ts';
export type { Authorizer, ResourceAttributes } from './facade/authorizer.ts';
export { type ConnectMember, MemberConnections } from './members/member-connections.ts';
export type { Endpoint, EndpointHealth } from './model/endpoint.ts';
export {
  type MeshControlPlane,
  type MeshControlPlaneOptions,
  openMeshControlPlane,
} from './open-control-plane.ts';
export type {
  EndpointsProvider,
  EndpointsProviderDeps,
  EndpointsProviderFactory,
  OpenedProviders,
  ProviderMember,
} from './ports/endpoints.ts';
