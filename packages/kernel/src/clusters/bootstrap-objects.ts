import type { KubeObject } from '@chandlery/api';
import { bootstrapPolicy, rbacGroup } from '../access/index.ts';
import { defaultServiceAccount, namespaceFinalizer } from '../behaviours/namespace.ts';
import { putOf } from '../resources/commit.ts';
import type { ResourceDeps } from '../resources/request.ts';
import type { Put } from '../store/store.ts';
import type { LogicalCluster } from './logical-cluster-kind.ts';

const namespaces = ['default', 'kube-system'];
/** One copy for all clusters: only the metadata differs, and is built for each. */
const policy: readonly KubeObject[] = bootstrapPolicy();

/** The writes that fill a new logical cluster: namespaces, their service accounts, the default roles, its admins. */
export function bootstrapWrites(deps: ResourceDeps, logicalCluster: LogicalCluster, now: string): Put[] {
  const cluster = logicalCluster.metadata.name ?? '';
  const put = (resource: string, object: KubeObject): Put => {
    const kind = deps.registry.builtIn(resource);
    const { name = '', namespace = '' } = object.metadata;
    const metadata = { ...object.metadata, uid: deps.ids.uuid(), creationTimestamp: now };
    return putOf(deps, kind, { cluster, resource, namespace, name }, { ...object, metadata }, { type: 'absent' });
  };
  return [
    ...namespaces.map(name => put('/namespaces', namespace(name))),
    ...namespaces.map(name => put('/serviceaccounts', defaultServiceAccount(name, '', now))),
    ...policy.map(object => put(resourceOf(object), object)),
    ...admins(logicalCluster).map(object => put(resourceOf(object), object)),
  ];
}

const resourceOf = ({ kind }: KubeObject): string => `${rbacGroup}/${kind.toLowerCase()}s`;

const namespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: [namespaceFinalizer] },
  status: { phase: 'Active' },
});

function admins({ spec }: LogicalCluster): KubeObject[] {
  const subjects = (spec?.admins ?? []).map(({ kind, name }) => ({ kind, name, apiGroup: rbacGroup }));
  if (subjects.length === 0) return [];
  return [
    {
      apiVersion: `${rbacGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'logical-cluster-admins' },
      subjects,
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    },
  ];
}
