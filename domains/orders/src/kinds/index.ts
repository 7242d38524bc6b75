/**
 * The kinds of services and orders on the onboarding cluster.
 *
 * They are declared to the kernel (`ordersKinds`) and live in the logical cluster {@link ordersCluster}, where a
 * namespace is a tenant.
 */
import { artifacts } from './artifact.ts';
import { aspects } from './aspect.ts';
import { collections } from './collection.ts';
import { historyEntries } from './history-entry.ts';
import { jobEvents, jobs } from './job.ts';
import { orders } from './order.ts';
import { queueMessages, queues } from './queue.ts';
import { services } from './service.ts';
import { serviceSecrets } from './service-secret.ts';

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
export { type HistoryEntry } from './history-entry.ts';
export { type Job, type JobEvent } from './job.ts';
export { type Order, type OrderStatus, orderStatuses } from './order.ts';
export { type Queue, type QueueMessage } from './queue.ts';
export { type ParameterDefinition, type Service, siteHostKey } from './service.ts';
export { type ServiceSecret } from './service-secret.ts';
export { normalizeHostName, siteController, siteHostOf } from './site.ts';

/** All kinds of the domain on the onboarding cluster, by the names of the registry's tables. */
export const ordersKinds = {
  services,
  orders,
  jobs,
  jobEvents,
  artifacts,
  collections,
  queues,
  queueMessages,
  aspects,
  secrets: serviceSecrets,
  history: historyEntries,
} as const;
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
