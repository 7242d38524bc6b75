/**
 * The kinds of services and orders on the onboarding cluster.
 *
 * They are declared to the kernel (`ordersKinds`) and live in the logical cluster {@link ordersCluster}, where a
 * namespace is a tenant.
 */
export { type Artifact, type ArtifactStatus, artifactStatuses } from './artifact.ts';
export { type Aspect } from './aspect.ts';
export { type Collection } from './collection.ts';
export {
  consumerRole,
  defaultTenant,
  ordersCluster,
  ordersFinalizer,
  ordersGroup,
  ordersManagedLabel,
} from './common.ts';
export { consumerRules } from './consumer-rules.ts';
export { type HistoryEntry } from './history-entry.ts';
export { type Job, type JobEvent } from './job.ts';
export { type Order, type OrderStatus, orderStatuses } from './order.ts';
export { ordersKinds } from './orders-kinds.ts';
export { type Queue, type QueueMessage } from './queue.ts';
export { type ParameterDefinition, type Service, siteHostKey } from './service.ts';
export { type ServiceSecret } from './service-secret.ts';
export { normalizeHostName, siteController, siteHostOf } from './site.ts';
export {
  argoApiVersion,
  artifactDrivers,
  type Workflow,
  workflowAnnotations,
  workflowKinds,
  workflowLabels,
  workflowsCluster,
  workflowsRef,
} from './workflows/index.ts';
