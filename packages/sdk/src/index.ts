/**
 * The SDK for service providers.
 *
 * Start with `defineService` (what tenants order), `defineProviderConfig` (what operators configure) and a
 * {@link ProviderDefinition} with the required clusters and the desired objects; `runProvider` is the program.
 * The SDK does the rest: access, server-side apply, drift, deletion, pauses, conditions, events, metrics.
 *
 * `startProvider` and `installProvider` do the same inside another program; `planObject` returns what would change.
 */
// Re-exported for definitions, so that a provider needs one import.

export { commonStatus, defineKind, isError, type KubeObject, type ObjectOf } from '@chandlery/api';
export type { Client } from '@chandlery/client';
export { Type } from 'typebox';
export { kubeconfigFiles } from './access/kubeconfig-files.ts';
export { findOffer } from './build/find-offer.ts';
export { connectionFromEnvironment, untilStopped } from './build/program.ts';
export { allRightsOn } from './build/rights.ts';
export { decodeSecret, encodeSecret } from './build/secret-data.ts';
export { type DeploymentParts, deploymentOf, namespaceOf } from './build/workloads.ts';
export {
  type ConfigKind,
  type ConfigKindDefinition,
  type ConfigObject,
  defineProviderConfig,
} from './definition/config-kind.ts';
export {
  type BlockingKind,
  type ClusterRequirement,
  defineProvider,
  type Permission,
  type ProviderDefinition,
} from './definition/provider-definition.ts';
export type { Observation, Service, ServiceContext, SharedContext, Waiting } from './definition/service.ts';
export {
  type DeletionPolicy,
  defineService,
  type ResourceStatus,
  type ServiceKind,
  type ServiceKindDefinition,
  type ServiceListening,
  type ServiceObject,
  type ServiceStatus,
} from './definition/service-kind.ts';
export { sdkError, userError } from './definition/user-error.ts';
export type { ManagementAction, ManagementPolicy } from './model/management-policies.ts';
export {
  connectionSecretName,
  instanceIdOf,
  instanceNamespaceOf,
  receiptName,
  retainedServiceName,
  sdkNames,
} from './model/names.ts';
export { type SdkErrorCode, sdkErrorCodes } from './model/sdk-errors.ts';
export type { ClusterConnection, ClusterRole, Connections } from './objects/cluster-connection.ts';
export type { Desired, Readiness } from './objects/managed-objects.ts';
export { type PlannedChange, type PlanOptions, planObject } from './plan/plan-object.ts';
export { type InstallProviderOptions, installProvider } from './process/install-provider.ts';
export { type RunProviderOptions, runProvider } from './process/run-provider.ts';
export { type RunningProvider, type StartProviderOptions, startProvider } from './process/start-provider.ts';
export type { Place, RelatedDefinition, SyncContext, SyncDefinition } from './sync/syncer.ts';
