/** The kinds of providers and tenants: what may be imported by other domains and the SDK. */
export { type AccessRecord, accessRecords } from './access-record.ts';
export { type Component, type ComponentBinding, componentBindings, components } from './component.ts';
export { type ControlPlane, type ControlPlaneConfig, controlPlaneConfigs, controlPlanes } from './control-plane.ts';
export { livenessLeaseOf, providerNames } from './names.ts';
export {
  clusterProviders,
  type Provider,
  type ProviderKind,
  platformServices,
  providersGroup,
  serviceProviders,
} from './provider.ts';
export {
  chandleryTenantsGroup,
  formerObjectOf,
  type RetainedRequest,
  type RetainedService,
  retainedBy,
  retainedNames,
  retainedServices,
  sharedHolderOf,
} from './retained-service.ts';
export {
  type ProjectWorkspaceConfig,
  peopleNamespace,
  projects,
  projectWorkspaceConfigs,
  type Tenant,
  type TenantRole,
  tenantRoles,
  tenantsGroup,
  workspaces,
} from './tenant.ts';
