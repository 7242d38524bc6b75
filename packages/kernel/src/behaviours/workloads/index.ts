import type { Behaviour } from '../behaviour.ts';
import { cronJobBehaviour } from './cron-job.ts';
import { deploymentBehaviour, replicaSetBehaviour, replicationControllerBehaviour } from './deployment.ts';
import { endpointSliceBehaviour, endpointsBehaviour } from './endpoints.ts';
import { eventBehaviour, newEventBehaviour } from './event.ts';
import { ingressBehaviour } from './ingress.ts';
import { jobBehaviour } from './job.ts';
import { leaseBehaviour } from './lease.ts';
import { persistentVolumeClaimBehaviour } from './persistent-volume-claim.ts';
import { podBehaviour } from './pod.ts';
import { podDisruptionBudgetBehaviour } from './pod-disruption-budget.ts';
import { serviceBehaviour } from './service.ts';
import { daemonSetBehaviour, statefulSetBehaviour } from './stateful-set.ts';

/** What pods, workloads and their surroundings do beyond their schemas, by `group/plural`. */
export const workloadBehaviours: readonly (readonly [string, Behaviour])[] = [
  ['/pods', podBehaviour],
  ['/services', serviceBehaviour],
  ['/endpoints', endpointsBehaviour],
  ['/events', eventBehaviour],
  ['/persistentvolumeclaims', persistentVolumeClaimBehaviour],
  ['/replicationcontrollers', replicationControllerBehaviour],
  ['apps/deployments', deploymentBehaviour],
  ['apps/replicasets', replicaSetBehaviour],
  ['apps/statefulsets', statefulSetBehaviour],
  ['apps/daemonsets', daemonSetBehaviour],
  ['batch/jobs', jobBehaviour],
  ['batch/cronjobs', cronJobBehaviour],
  ['coordination.k8s.io/leases', leaseBehaviour],
  ['discovery.k8s.io/endpointslices', endpointSliceBehaviour],
  ['events.k8s.io/events', newEventBehaviour],
  ['networking.k8s.io/ingresses', ingressBehaviour],
  ['policy/poddisruptionbudgets', podDisruptionBudgetBehaviour],
];
