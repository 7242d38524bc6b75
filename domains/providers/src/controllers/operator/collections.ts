import { systemNamespace as namespace } from '@chandlery/clusters/kinds';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const core = { group: '', version: 'v1' };

/** The collections of the operator's objects on the platform cluster. */
export const collections = {
  jobs: { group: 'batch', version: 'v1', plural: 'jobs', namespace },
  deployments: { group: 'apps', version: 'v1', plural: 'deployments', namespace },
  pods: { ...core, plural: 'pods', namespace },
  services: { ...core, plural: 'services', namespace },
  configMaps: { ...core, plural: 'configmaps', namespace },
  secrets: { ...core, plural: 'secrets', namespace },
  leases: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespace },
  serviceAccounts: { ...core, plural: 'serviceaccounts', namespace },
  roles: { ...rbac, plural: 'roles', namespace },
  roleBindings: { ...rbac, plural: 'rolebindings', namespace },
  clusterRoles: { ...rbac, plural: 'clusterroles' },
  clusterRoleBindings: { ...rbac, plural: 'clusterrolebindings' },
} as const;

/** The collection of definitions, on any cluster. */
export const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
} as const;

/** What remains when a provider neither runs nor has an API: bindings first, so that no right outlives its purpose. */
export const rest = [
  collections.configMaps,
  collections.services,
  collections.clusterRoleBindings,
  collections.roleBindings,
  collections.clusterRoles,
  collections.roles,
  collections.serviceAccounts,
] as const;
