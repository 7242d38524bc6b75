const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** The collections of the built-in kinds that tenants consist of. */
export const refs = {
  namespaces: { group: '', version: 'v1', plural: 'namespaces' },
  secrets: { group: '', version: 'v1', plural: 'secrets' },
  roles: { ...rbac, plural: 'roles' },
  roleBindings: { ...rbac, plural: 'rolebindings' },
  clusterRoles: { ...rbac, plural: 'clusterroles' },
  clusterRoleBindings: { ...rbac, plural: 'clusterrolebindings' },
  customResourceDefinitions: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
} as const;
