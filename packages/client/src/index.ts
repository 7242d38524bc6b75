/**
 * A client of any Kubernetes-style API.
 *
 * `loadKubeconfig` (or, in a Pod, `loadInClusterConfig`) says where to and as whom, `createClient` connects. Code that
 * needs no more than resources takes a `Client`: the kernel has one in process. Objects are addressed by group, version and
 * plural; whatever goes wrong is a `ChandleryError` whose code is the server's reason, or one of `clientErrorCodes`.
 */
export type {
  AtomicCheck,
  AtomicClient,
  AtomicCreate,
  AtomicRemove,
  AtomicReplace,
  AtomicResult,
  AtomicWrite,
} from './atomic-client.ts';
export type {
  ApplyPatch,
  Client,
  DeleteOptions,
  HttpClient,
  JsonPatch,
  KubeList,
  ListOptions,
  MergePatch,
  ObjectRef,
  PatchBody,
  RawOptions,
  RawResponse,
  RequestOptions,
  ResourceRef,
  StrategicPatch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
export { type ClientErrorCode, clientErrorCodes, connectionError } from './client-errors.ts';
export type { ClientCertificate, ConnectionOptions, ExecPlugin, Impersonation } from './connection.ts';
export { formatYaml } from './format-yaml.ts';
export { createClient } from './http-client.ts';
export { respondingApi } from './http-transport.ts';
export { type InClusterOptions, loadInClusterConfig } from './in-cluster.ts';
export { type LoadKubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';
export {
  type ExecEntry,
  type Kubeconfig,
  type NamedCluster,
  type NamedContext,
  type NamedUser,
  parseKubeconfig,
} from './kubeconfig-file.ts';
export { readKubeconfig } from './kubeconfig-sources.ts';
export { parseYamlDocuments } from './parse-yaml.ts';
export { resourcePath } from './resource-path.ts';
