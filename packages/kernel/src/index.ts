/**
 * The kernel: a multi-tenant store of Kubernetes-style resources.
 *
 * `openStore` opens the durable history; `Kernel` adds kinds, authorisation and maintenance. `kernel.calls(user)`
 * is the way in: lenses turn requests into its calls, and so does the in-process client (`createKernelClient`).
 */
export { AccessRegistry } from './access/access-registry.ts';
export * from './access/index.ts';
export * from './backup/index.ts';
export type { AdmissionHook, Behaviour, BehaviourContext, Behaviours } from './behaviours/behaviour.ts';
export type { Browsed, BrowseQuery } from './browse/browse.ts';
export type { IndexLimits } from './browse/collection-indexes.ts';
export { changedAtOf, type Entry, nameFit, type RankReader } from './browse/entry.ts';
export type { Rank, SortKey } from './browse/rank.ts';
export type { CallOptions, Calls } from './calls/calls.ts';
export {
  endpointOf,
  fieldManagerCause,
  fieldManagerOfAgent,
  fitsScope,
  subresourceVerbs,
} from './calls/request-rules.ts';
export { resourceAttributes, type Verb } from './calls/resource-attributes.ts';
export { WatchLife } from './calls/watch-life.ts';
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
export { Kernel, type KernelOptions } from './kernel.ts';
export { type Leadership, StoreLeadership, soleLeader } from './maintenance/leadership.ts';
export { type ReencryptionState, readReencryption } from './maintenance/reencryption.ts';
export { ClusterKinds, type ResolvedResource, type ServedKind } from './registry/cluster-kinds.ts';
export { allVerbs, CompiledKind, CompiledVersion } from './registry/compiled-kind.ts';
export { compareVersionPriority, kindOfCrd } from './registry/kind-of-crd.ts';
export { crdResource, KindRegistry } from './registry/kind-registry.ts';
export type { DeleteOptions } from './resources/delete.ts';
export type { InternalWrite } from './resources/internal-write.ts';
export type { PatchType } from './resources/patch.ts';
export { putBeside } from './resources/put-beside.ts';
export {
  getObject,
  type ListRequest,
  listObjects,
  type OpenList,
} from './resources/read.ts';
export type { Target, WriteOptions } from './resources/request.ts';
export { type Served, serveObject, serveStored } from './resources/served.ts';
export { asKubeObject } from './resources/shape.ts';
export type { TokenIssuer } from './resources/token-request.ts';
export type { Watch, WatchItem } from './resources/watch.ts';
export { lastWriter, type RevisionChoice, type ServedRevision } from './revisions/read-revisions.ts';
export { maxRevisionDays } from './revisions/retention.ts';
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
export { databaseFile } from './store/sqlite/open-database.ts';
export type { VerifyingProgress } from './store/sqlite/sqlite-store.ts';
export * from './store/store.ts';
export { acceptStore, verifyStore } from './store/verify-store.ts';
export { View, Views } from './views/views.ts';
export type { Visibility } from './views/visibility.ts';
