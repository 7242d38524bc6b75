import type { KubeObject } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';

const core = (plural: string): ResourceRef => ({ group: '', version: 'v1', plural });

/** The collections of workloads. */
export const refs = {
  deployments: { group: 'apps', version: 'v1', plural: 'deployments' },
  replicaSets: { group: 'apps', version: 'v1', plural: 'replicasets' },
  jobs: { group: 'batch', version: 'v1', plural: 'jobs' },
  pods: core('pods'),
  services: core('services'),
  endpointSlices: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  podDisruptionBudgets: { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' },
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  serviceAccounts: core('serviceaccounts'),
  persistentVolumeClaims: core('persistentvolumeclaims'),
  nodes: core('nodes'),
  namespaces: core('namespaces'),
  leases: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
} as const satisfies Readonly<Record<string, ResourceRef>>;

/** The reference to an object of a collection. */
export function refTo({ group, version, plural }: ResourceRef, { metadata }: KubeObject): ObjectRef {
  const { name = '', namespace } = metadata;
  return { group, version, plural, name, ...(namespace ? { namespace } : {}) };
}
