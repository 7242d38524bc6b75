// Deployments, replica sets and replication controllers. Numbers and names as in Kubernetes 1.32.

import { bool, int32, int64, list, map, message, one, optionalInt32, optionalIntOrString, string } from '../message.ts';
import { condition, labelSelector } from './meta.ts';
import { podTemplateSpec } from './pod-spec.ts';

/** How pods are replaced bit by bit. */
export const rollingUpdateDeployment = message('How pods are replaced bit by bit.', {
  maxUnavailable: optionalIntOrString(1, 'How many may be missing, as number or percentage.', { default: '25%' }),
  maxSurge: optionalIntOrString(2, 'How many may be there in addition, as number or percentage.', { default: '25%' }),
});

/** How pods are replaced. */
export const deploymentStrategy = message('How pods are replaced.', {
  type: string(1, 'Bit by bit, or all at once.', { default: 'RollingUpdate', enum: ['Recreate', 'RollingUpdate'] }),
  rollingUpdate: one(2, rollingUpdateDeployment, 'Settings of RollingUpdate.'),
});

/** Pods that are wanted, and how they are replaced. */
export const deploymentSpec = message('Pods that are wanted, and how they are replaced.', {
  replicas: optionalInt32(1, 'How many pods.', { default: 1, minimum: 0 }),
  selector: one(2, labelSelector, 'Pods that belong to it; cannot be changed.', { required: true }),
  template: one(3, podTemplateSpec, 'The pods to make.', { required: true }),
  strategy: one(4, deploymentStrategy, 'How pods are replaced.', {
    default: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    retainsKeys: true,
  }),
  minReadySeconds: int32(5, 'How long a pod must be ready to count as available.', { minimum: 0 }),
  revisionHistoryLimit: optionalInt32(6, 'Old replica sets to keep.', { default: 10, minimum: 0 }),
  paused: bool(7, 'Whether changes wait.'),
  progressDeadlineSeconds: optionalInt32(9, 'Time without progress that counts as failure.', {
    default: 600,
    minimum: 0,
  }),
});

/** State of one aspect of a deployment. */
export const deploymentCondition = condition('State of one aspect of a deployment.', {
  lastUpdateTime: 6,
  lastTransitionTime: 7,
  reason: 4,
  message: 5,
});

/** What became of a deployment. */
export const deploymentStatus = message('What became of a deployment.', {
  observedGeneration: int64(1, 'Generation that this is about.'),
  replicas: int32(2, 'Pods in all.'),
  updatedReplicas: int32(3, 'Pods of the newest template.'),
  readyReplicas: int32(7, 'Pods that are ready.'),
  availableReplicas: int32(4, 'Pods that are available.'),
  unavailableReplicas: int32(5, 'Pods that are missing.'),
  conditions: list(6, deploymentCondition, 'States of the deployment.', { keys: ['type'], mergeKey: 'type' }),
  collisionCount: optionalInt32(8, 'Clashes of replica set names.'),
});

/** Pods that are wanted. */
export const replicaSetSpec = message('Pods that are wanted.', {
  replicas: optionalInt32(1, 'How many pods.', { default: 1, minimum: 0 }),
  minReadySeconds: int32(4, 'How long a pod must be ready to count as available.', { minimum: 0 }),
  selector: one(2, labelSelector, 'Pods that belong to it; cannot be changed.', { required: true }),
  template: one(3, podTemplateSpec, 'The pods to make.'),
});

/** State of one aspect of a replica set. */
export const replicaSetCondition = condition('State of one aspect of a replica set.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

/** What became of a replica set. */
export const replicaSetStatus = message('What became of a replica set.', {
  replicas: optionalInt32(1, 'Pods in all.'),
  fullyLabeledReplicas: int32(2, 'Pods with all labels of the template.'),
  readyReplicas: int32(4, 'Pods that are ready.'),
  availableReplicas: int32(5, 'Pods that are available.'),
  observedGeneration: int64(3, 'Generation that this is about.'),
  conditions: list(6, replicaSetCondition, 'States of the replica set.', { keys: ['type'], mergeKey: 'type' }),
});

/** Pods that are wanted. */
export const replicationControllerSpec = message('Pods that are wanted.', {
  replicas: optionalInt32(1, 'How many pods.', { default: 1, minimum: 0 }),
  minReadySeconds: int32(4, 'How long a pod must be ready to count as available.', { minimum: 0 }),
  selector: map(2, 'string', "Labels of the pods that belong to it; the template's by default.", { atomic: true }),
  template: one(3, podTemplateSpec, 'The pods to make.'),
});

/** State of one aspect of a replication controller. */
export const replicationControllerCondition = condition('State of one aspect of a replication controller.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

/** What became of a replication controller. */
export const replicationControllerStatus = message('What became of a replication controller.', {
  replicas: optionalInt32(1, 'Pods in all.'),
  fullyLabeledReplicas: int32(2, 'Pods with all labels of the template.'),
  readyReplicas: int32(4, 'Pods that are ready.'),
  availableReplicas: int32(5, 'Pods that are available.'),
  observedGeneration: int64(3, 'Generation that this is about.'),
  conditions: list(6, replicationControllerCondition, 'States of the replication controller.', {
    keys: ['type'],
    mergeKey: 'type',
  }),
});
