import type { KubeObject } from '@chandlery/api';
import { allRights, type PolicyRule } from './rbac.ts';
import { rbacGroup, rulesOf, type Subject } from './rbac-objects.ts';
import { wellKnown } from './user.ts';

/** Marks the objects that a logical cluster is born with. */
export const bootstrapLabel = { key: 'kubernetes.io/bootstrapping', value: 'rbac-defaults' } as const;

const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];

// What a tenant's people work with, by API group: `plain` can be written, `observed` is written by controllers.
const workloads: readonly {
  readonly group: string;
  readonly plain: readonly string[];
  readonly observed: readonly string[];
}[] = [
  {
    group: '',
    plain: ['configmaps', 'events', 'persistentvolumeclaims', 'pods', 'serviceaccounts', 'services'],
    observed: [
      'endpoints',
      'namespaces',
      'namespaces/status',
      'persistentvolumeclaims/status',
      'pods/log',
      'pods/status',
      'services/status',
    ],
  },
  {
    group: 'apps',
    plain: [
      ...['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
      ...['deployments/scale', 'replicasets/scale', 'statefulsets/scale'],
    ],
    observed: ['daemonsets/status', 'deployments/status', 'replicasets/status', 'statefulsets/status'],
  },
  { group: 'batch', plain: ['cronjobs', 'jobs'], observed: ['cronjobs/status', 'jobs/status'] },
  { group: 'discovery.k8s.io', plain: [], observed: ['endpointslices'] },
  { group: 'events.k8s.io', plain: ['events'], observed: [] },
  { group: 'networking.k8s.io', plain: ['ingresses', 'networkpolicies'], observed: ['ingresses/status'] },
];

const viewRules: readonly PolicyRule[] = workloads.map(({ group, plain, observed }) => ({
  verbs: read,
  apiGroups: [group],
  resources: [...plain, ...observed],
}));

// Editors may run Pods under any service account of the namespace, so tokens and impersonation add nothing.
const editRules: readonly PolicyRule[] = [
  ...viewRules,
  ...workloads
    .filter(({ plain }) => plain.length > 0)
    .map(({ group, plain }) => ({ verbs: write, apiGroups: [group], resources: plain })),
  { verbs: [...read, ...write], apiGroups: [''], resources: ['secrets'] },
  { verbs: [...read, ...write], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
  { verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token', 'pods/eviction'] },
  {
    verbs: ['get', 'create'],
    apiGroups: [''],
    resources: ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'],
  },
  { verbs: ['impersonate'], apiGroups: [''], resources: ['serviceaccounts'] },
];

const adminRules: readonly PolicyRule[] = [
  ...editRules,
  { verbs: [...read, ...write], apiGroups: [rbacGroup], resources: ['roles', 'rolebindings'] },
  { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'] },
];

const healthPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

const clusterRoles: readonly KubeObject[] = [
  clusterRole('cluster-admin', allRights),
  clusterRole('admin', adminRules, { aggregates: 'admin' }),
  clusterRole('edit', editRules, { aggregates: 'edit', joins: 'admin' }),
  clusterRole('view', viewRules, { aggregates: 'view', joins: 'edit' }),
  clusterRole('system:discovery', [
    {
      verbs: ['get'],
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...healthPaths],
    },
  ]),
  clusterRole('system:basic-user', [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    { verbs: ['create'], apiGroups: ['search.chandlery.io'], resources: ['objectsearches', 'objectlookups'] },
  ]),
  clusterRole('system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: healthPaths }]),
];

const { masters, authenticated, unauthenticated } = wellKnown;

const clusterRoleBindings: readonly KubeObject[] = [
  clusterRoleBinding('cluster-admin', [masters]),
  clusterRoleBinding('system:discovery', [authenticated]),
  clusterRoleBinding('system:basic-user', [authenticated]),
  clusterRoleBinding('system:public-info-viewer', [authenticated, unauthenticated]),
];

/** The roles and bindings that every logical cluster is born with, without uid and timestamps. Yours to change. */
export const bootstrapPolicy = (): KubeObject[] => structuredClone([...clusterRoles, ...clusterRoleBindings]);

/** The rules of the bootstrap roles by name, for sharing them between logical clusters. */
export const bootstrapRules: ReadonlyMap<string, readonly PolicyRule[]> = new Map(
  clusterRoles.map(role => [role.metadata.name ?? '', rulesOf(role)]),
);

/** `aggregates`: takes in the roles labelled for it. `joins`: is labelled for that role itself. */
function clusterRole(
  name: string,
  rules: readonly PolicyRule[],
  { aggregates, joins }: { readonly aggregates?: string; readonly joins?: string } = {},
): KubeObject {
  const labels = joins === undefined ? {} : { [aggregateTo(joins)]: 'true' };
  const aggregation =
    aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(aggregates)]: 'true' } }] } };
  return { ...bootstrapObject('ClusterRole', name, labels), ...aggregation, rules };
}

function clusterRoleBinding(name: string, groups: readonly string[]): KubeObject {
  const subjects = groups.map((group): Subject & { apiGroup: string } => ({
    kind: 'Group',
    apiGroup: rbacGroup,
    name: group,
  }));
  return {
    ...bootstrapObject('ClusterRoleBinding', name, {}),
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    subjects,
  };
}

function bootstrapObject(kind: string, name: string, labels: Record<string, string>): KubeObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind,
    metadata: { name, labels: { [bootstrapLabel.key]: bootstrapLabel.value, ...labels } },
  };
}

function aggregateTo(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}
