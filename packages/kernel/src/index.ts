/**
 * The kernel: a multi-tenant store of Kubernetes-style resources.
 *
 * `openStore` gives the durable history; `Kernel` adds kinds, rights and housekeeping; the verbs (`createObject`,
 * `mutateObject`, `listObjects`, `watchObjects`, …) are functions that take the kernel's `needs` first. Lenses turn
 * requests into these calls and nothing else.
 */
export { AccessRegistry } from './access/access-registry.ts';
export * from './access/index.ts';
export * from './backup/index.ts';
export type { AdmissionHook, Behaviour, BehaviourContext, Behaviours } from './behaviours/behaviour.ts';
export { createKernelClient, type KernelClientOptions } from './client/kernel-client.ts';
export {
  forceAnnotation,
  type LogicalCluster,
  logicalClusterKind,
  logicalClusterResource,
  onboardingCluster,
  platformCluster,
} from './clusters/logical-cluster-kind.ts';
export type { LogicalClusters } from './clusters/logical-clusters.ts';
export { type Cipher, SealedCodec } from './codec/sealed-codec.ts';
export { decodeValue, encodeValue, spliceRevision } from './codec/stored-value.ts';
export { ChangeFeed } from './feed/change-feed.ts';
export { FeedEvent } from './feed/feed-event.ts';
export type { FeedListener, FeedScope } from './feed/scoped-listeners.ts';
export { type Leadership, StoreLeadership, soleLeader } from './housekeeping/leadership.ts';
export { Kernel, type KernelOptions } from './kernel.ts';
export { ClusterKinds, type ResolvedResource, type ServedKind } from './registry/cluster-kinds.ts';
export { allVerbs, CompiledKind, CompiledVersion } from './registry/compiled-kind.ts';
export { compareVersionPriority, kindOfCrd } from './registry/kind-of-crd.ts';
export { crdResource, KindRegistry } from './registry/kind-registry.ts';
export { type ApplyRequest, applyObject } from './resources/apply.ts';
export { bindPod } from './resources/bind-pod.ts';
export { createObject } from './resources/create.ts';
export { type DeleteOptions, type DeleteResult, deleteObject } from './resources/delete.ts';

export { deleteCollection } from './resources/delete-collection.ts';

export { evictPod } from './resources/evict-pod.ts';

export type { InternalWrite } from './resources/internal-write.ts';
export { type Mutation, mutateObject, updateObject } from './resources/mutate.ts';
export type { Endpoint } from './resources/ownership.ts';
export { type PatchRequest, type PatchType, patchObject } from './resources/patch.ts';
export { putBeside } from './resources/put-beside.ts';
export {
  getObject,
  type ListRequest,
  type ListResult,
  listObjects,
  type OpenList,
  openList,
} from './resources/read.ts';
export { keyOfTarget, type ResourceNeeds, type Target, type WriteOptions } from './resources/request.ts';
export { getScale, patchScale, updateScale } from './resources/scale.ts';
export { type Served, serveObject } from './resources/served.ts';
export { asKubeObject } from './resources/shape.ts';
export { requestToken, type TokenIssuer } from './resources/token-request.ts';
export { type Watch, type WatchItem, type WatchRequest, type WatchSink, watchObjects } from './resources/watch.ts';
export {
  assertJsonLimits,
  maxJsonDepth,
  maxJsonValues,
  maxMapKeys,
  parseJsonStrict,
  scanJson,
  tooManyKeys,
  tooManyValues,
  ValidatorCache,
} from './schema/index.ts';
export { openLargeObjects } from './store/open-large-objects.ts';
export { openStore, type StoreOptions } from './store/open-store.ts';
export type { VerifyingProgress } from './store/sqlite/sqlite-store.ts';
export * from './store/store.ts';
export { acceptStore, verifyStore } from './store/verify-store.ts';
export { View, Views } from './views/views.ts';
export type { Visibility } from './views/visibility.ts';
