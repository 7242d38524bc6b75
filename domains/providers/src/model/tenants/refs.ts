const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** Where the built-in kinds are served that tenants are made of. */
export const refs = {
  namespaces: { group: '', version: 'v1', plural: 'namespaces' },
  secrets: { group: '', version: 'v1', plural: 'secrets' },
  roles: { ...rbac, plural: 'roles' },
  roleBindings: { ...rbac, plural: 'rolebindings' },
  clusterRoles: { ...rbac, plural: 'clusterroles' },
  clusterRoleBindings: { ...rbac, plural: 'clusterrolebindings' },
  customResourceDefinitions: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
} as const;
