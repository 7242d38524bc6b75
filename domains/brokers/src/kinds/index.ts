/**
 * The kinds of the service manager, and the port by which other domains offer services through it.
 *
 * They are declared to the kernel (`brokerKinds`), live in the logical cluster {@link brokersCluster}, and belong to a
 * tenant by their namespace.
 */
import { brokerPlatformCredentials } from './broker-platform-credential.ts';
import { notifications } from './notification.ts';
import { operations } from './operation.ts';
import { platforms } from './platform.ts';
import { removedPlatforms } from './removed-platform.ts';
import { serviceBindings } from './service-binding.ts';
import { serviceBrokers } from './service-broker.ts';
import { serviceInstances } from './service-instance.ts';
import { serviceOfferings } from './service-offering.ts';
import { servicePlans } from './service-plan.ts';
import { visibilities } from './visibility.ts';

export {
  acceptedPairs,
  type BrokerPlatformCredential,
  brokerPlatformCredentials,
} from './broker-platform-credential.ts';
export {
  brokersCluster,
  brokersFinalizer,
  brokersGroup,
  globalTenant,
  ownPlatformId,
  referencePlanName,
} from './common.ts';
export type {
  InternalBroker,
  InternalCaller,
  InternalCallOptions,
  InternalInstance,
  InternalObject,
  InternalObjectListener,
  InternalObjects,
  InternalOutcome,
  InternalProgress,
  InternalService,
  InternalServicePlan,
} from './internal-broker.ts';
export { sharedPlan } from './internal-broker.ts';
export {
  internalNameOf,
  isLandscapeBroker,
  isLandscapeId,
  landscapeBrokerId,
  landscapeVisibilityId,
  parseInternalName,
} from './landscape-broker.ts';
export type { Listening, ListeningEndpoint } from './listening.ts';
export { listeningSchema, readListening } from './listening.ts';
export { consumerClusterField, consumerField, consumerOf, type MeshConsumer } from './mesh-consumer.ts';
export { meshLabelsOfBinding, meshLabelsOfInstance, meshRecordLabel } from './mesh-record.ts';
export { type Notification, notificationSeconds, notifications } from './notification.ts';
export { type Operation, operations } from './operation.ts';
export { type Platform, platforms } from './platform.ts';
export { type RemovedPlatform, removedPlatforms } from './removed-platform.ts';
export { idOfName, nameOfId } from './row-name.ts';
export { type ServiceBinding, serviceBindings } from './service-binding.ts';
export { type ServiceBroker, serviceBrokers } from './service-broker.ts';
export { type ServiceInstance, serviceInstances } from './service-instance.ts';
export { type ServiceOffering, serviceOfferings } from './service-offering.ts';
export { type ServicePlan, servicePlans } from './service-plan.ts';
export { isLandscape, tenantNamespaceOf } from './tenant-namespace.ts';
export { type Visibility, visibilities } from './visibility.ts';

/** All kinds of the domain, by the words of the registry. */
export const brokerKinds = {
  platforms,
  brokers: serviceBrokers,
  offerings: serviceOfferings,
  plans: servicePlans,
  visibilities,
  instances: serviceInstances,
  bindings: serviceBindings,
  operations,
  credentials: brokerPlatformCredentials,
  notifications,
  removedPlatforms,
} as const;
