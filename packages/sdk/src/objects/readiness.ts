import type { KubeObject } from '@chandlery/api';
import { conditionsOf, isConditionTrue, isDeleting } from '@chandlery/runtime';
import type { Readiness, ResourcePhase } from './managed-objects.ts';

/** The health of an object. */
export interface Health {
  readonly phase: ResourcePhase;
  /** Empty when there is no message. */
  readonly message: string;
}

const ready: Health = { phase: 'Ready', message: '' };
const progressing = (message: string): Health => ({ phase: 'Progressing', message });
const failed = (message: string): Health => ({ phase: 'Failed', message });

/** The health of a live object; the readiness check of its owner overrides the check for its kind. */
export function healthOf(live: KubeObject, isReady?: (live: KubeObject) => Readiness): Health {
  const health = judge(live, isReady);
  const stranded = health.phase === 'Progressing' ? strandedMessage(live) : undefined;
  return stranded === undefined ? health : progressing(stranded);
}

/** The message of a workload whose cluster has no nodes, while no controller has processed it. */
function strandedMessage(live: KubeObject): string | undefined {
  if (!/^(apps|batch)\//.test(live.apiVersion) || statusOf(live).observedGeneration !== undefined) return undefined;
  return conditionsOf(live).find(({ reason }) => reason === 'NoNode')?.message;
}

function judge(live: KubeObject, isReady?: (live: KubeObject) => Readiness): Health {
  if (isDeleting(live)) return { phase: 'Terminating', message: 'it is being deleted' };
  if (isReady === undefined) return (byKind[`${live.apiVersion.split('/')[0]}/${live.kind}`] ?? exists)(live);
  const said = isReady(live);
  return said.isReady
    ? { phase: 'Ready', message: said.message ?? '' }
    : progressing(said.message ?? 'it is not ready');
}

const exists = (): Health => ready;

interface Replicated {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly readyReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly phase?: string;
}

const statusOf = (object: KubeObject): Replicated => (object['status'] as Replicated | undefined) ?? {};
const wantedReplicas = (object: KubeObject): number =>
  (object['spec'] as { replicas?: number } | undefined)?.replicas ?? 1;
const isObserved = (object: KubeObject): boolean =>
  (statusOf(object).observedGeneration ?? 0) >= (object.metadata.generation ?? 0);

const byKind: Readonly<Record<string, (live: KubeObject) => Health>> = {
  'apps/Deployment': deploymentHealth,
  'apps/StatefulSet': statefulSetHealth,
  'apps/DaemonSet': daemonSetHealth,
  'batch/Job': jobHealth,
  'apiextensions.k8s.io/CustomResourceDefinition': crdHealth,
  'v1/Namespace': namespaceHealth,
  'v1/PersistentVolumeClaim': claimHealth,
  'v1/Service': serviceHealth,
};

const notObserved = progressing('its controller has not seen the latest change yet');

function deploymentHealth(live: KubeObject): Health {
  if (!isObserved(live)) return notObserved;
  const stuck = conditionsOf(live).find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  if (stuck?.status === 'False') return failed(stuck.message || 'its rollout does not get any further');
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = statusOf(live);
  return replicaHealth({
    wanted: wantedReplicas(live),
    replicas,
    updated: updatedReplicas,
    available: availableReplicas,
  });
}

function statefulSetHealth(live: KubeObject): Health {
  if (!isObserved(live)) return notObserved;
  const { replicas = 0, updatedReplicas = replicas, readyReplicas = 0 } = statusOf(live);
  return replicaHealth({ wanted: wantedReplicas(live), replicas, updated: updatedReplicas, available: readyReplicas });
}

function daemonSetHealth(live: KubeObject): Health {
  if (!isObserved(live)) return notObserved;
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled: updated = 0,
    numberAvailable = 0,
  } = statusOf(live);
  return replicaHealth({ wanted, replicas: wanted, updated, available: numberAvailable });
}

interface ReplicaCounts {
  readonly wanted: number;
  readonly replicas: number;
  readonly updated: number;
  readonly available: number;
}

function replicaHealth({ wanted, replicas, updated, available }: ReplicaCounts): Health {
  if (updated < wanted) return progressing(`${updated} of ${wanted} replicas are up to date`);
  if (replicas > updated) return progressing(`${replicas - updated} old replicas are still there`);
  if (available < wanted) return progressing(`${available} of ${wanted} replicas are available`);
  return ready;
}

function jobHealth(live: KubeObject): Health {
  if (isConditionTrue(live, 'Complete')) return ready;
  const failure = conditionsOf(live).find(({ type, status }) => type === 'Failed' && status === 'True');
  return failure === undefined ? progressing('it is not complete') : failed(failure.message || 'it has failed');
}

function crdHealth(live: KubeObject): Health {
  if (isConditionTrue(live, 'Established')) return ready;
  const refused = conditionsOf(live).find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  return refused === undefined
    ? progressing('its kind is not served yet')
    : failed(refused.message || 'its names are taken');
}

function namespaceHealth(live: KubeObject): Health {
  const { phase = 'Active' } = statusOf(live);
  return phase === 'Active' ? ready : { phase: 'Terminating', message: 'it is being deleted' };
}

function serviceHealth(live: KubeObject): Health {
  const { type } = (live['spec'] as { type?: string } | undefined) ?? {};
  const { loadBalancer } = (live['status'] as { loadBalancer?: { ingress?: unknown[] } } | undefined) ?? {};
  if (type !== 'LoadBalancer' || (loadBalancer?.ingress ?? []).length > 0) return ready;
  return progressing('its load balancer has no address yet');
}

function claimHealth(live: KubeObject): Health {
  const { phase = 'Pending' } = statusOf(live);
  return phase === 'Lost' ? failed('its volume is lost') : ready;
}
