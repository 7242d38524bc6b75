import type { KubeObject } from '../../object.ts';
import { childOf, type Draft, fill, itemsOf } from './draft.ts';
import { fillNetworkPolicy, fillService } from './network-defaults.ts';
import { fillPod } from './pod-defaults.ts';
import {
  fillCronJob,
  fillDaemonSet,
  fillDeployment,
  fillJob,
  fillReplicaSet,
  fillReplicationController,
  fillStatefulSet,
} from './workload-defaults.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const fillGroup = (reference: Draft, group: string): void => {
  if (reference['apiGroup'] === '') delete reference['apiGroup'];
  if (group !== '') fill(reference, 'apiGroup', group);
};

/** Users and groups belong to the group of RBAC, service accounts to the core group. */
function fillBinding(binding: Draft): void {
  for (const subject of itemsOf(binding, 'subjects')) {
    fillGroup(subject, subject['kind'] === 'ServiceAccount' ? '' : RBAC_GROUP);
  }
  const role = childOf(binding, 'roleRef');
  if (role !== undefined) fillGroup(role, RBAC_GROUP);
}

const cpuAtEightyPercent = () => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

function fillAutoscaler(autoscaler: Draft): void {
  const spec = childOf(autoscaler, 'spec');
  if (spec !== undefined && itemsOf(spec, 'metrics').length === 0) spec['metrics'] = cpuAtEightyPercent();
}

const fillers: ReadonlyMap<string, (draft: Draft) => void> = new Map([
  ['v1/Pod', fillPod],
  ['v1/Service', fillService],
  ['v1/ReplicationController', fillReplicationController],
  ['apps/v1/Deployment', fillDeployment],
  ['apps/v1/ReplicaSet', fillReplicaSet],
  ['apps/v1/StatefulSet', fillStatefulSet],
  ['apps/v1/DaemonSet', fillDaemonSet],
  ['batch/v1/Job', fillJob],
  ['batch/v1/CronJob', fillCronJob],
  ['networking.k8s.io/v1/NetworkPolicy', fillNetworkPolicy],
  ['autoscaling/v2/HorizontalPodAutoscaler', fillAutoscaler],
  [`${RBAC_GROUP}/v1/RoleBinding`, fillBinding],
  [`${RBAC_GROUP}/v1/ClusterRoleBinding`, fillBinding],
]);

/** Whether a kind has defaults that depend on other fields. */
export const hasDependentDefaults = (apiVersion: string, kind: string): boolean => fillers.has(`${apiVersion}/${kind}`);

/**
 * Fills in, in place, the defaults of a built-in kind that depend on other fields and that a schema therefore cannot
 * state. Runs before the schema's own defaults, on every write; a second run changes nothing.
 */
export function fillDependentDefaults(object: KubeObject): void {
  fillers.get(`${object.apiVersion}/${object.kind}`)?.(object);
}
