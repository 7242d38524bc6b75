// Stateful sets and daemon sets. Numbers and names as in Kubernetes 1.32.

import { int32, int64, list, message, one, optionalInt32, optionalIntOrString, string } from '../message.ts';
import { condition, labelSelector, objectMeta } from './meta.ts';
import { podTemplateSpec } from './pod-spec.ts';
import { persistentVolumeClaimSpec, persistentVolumeClaimStatus } from './storage.ts';

const claimLayout = message('A claim to make for each pod.', {
  metadata: one(1, objectMeta, 'Name, labels and annotations of the claim.'),
  spec: one(2, persistentVolumeClaimSpec, 'What storage is asked for.'),
  status: one(3, persistentVolumeClaimStatus, 'Ignored.'),
});

const claimType = message('', {
  apiVersion: string(1, 'API version of the claim: v1.'),
  kind: string(2, 'Kind of the claim: PersistentVolumeClaim.'),
});

/** A whole claim inside another object: in JSON it has an apiVersion and a kind, in protobuf it has none. */
const claimTemplate = {
  schema: { ...claimLayout.schema, properties: { ...claimType.schema.properties, ...claimLayout.schema.properties } },
  protobuf: claimLayout.protobuf,
};

/** How pods are replaced one by one. */
export const rollingUpdateStatefulSetStrategy = message('How pods are replaced one by one.', {
  partition: optionalInt32(1, 'Pods below this number stay as they are.', { default: 0, minimum: 0 }),
  maxUnavailable: optionalIntOrString(2, 'How many may be missing.'),
});

/** How pods are replaced. */
export const statefulSetUpdateStrategy = message('How pods are replaced.', {
  type: string(1, 'One by one, or when they are deleted.', {
    default: 'RollingUpdate',
    enum: ['OnDelete', 'RollingUpdate'],
  }),
  rollingUpdate: one(2, rollingUpdateStatefulSetStrategy, 'Settings of RollingUpdate.'),
});

/** What becomes of claims. */
export const statefulSetPersistentVolumeClaimRetentionPolicy = message('What becomes of claims.', {
  whenDeleted: string(1, 'When the set is deleted.', { default: 'Retain', enum: ['Delete', 'Retain'] }),
  whenScaled: string(2, 'When the set shrinks.', { default: 'Retain', enum: ['Delete', 'Retain'] }),
});

/** Numbering of the pods. */
export const statefulSetOrdinals = message('Numbering of the pods.', {
  start: optionalInt32(1, 'First number.', { minimum: 0 }),
});

/** Pods with a name and storage of their own. */
export const statefulSetSpec = message('Pods with a name and storage of their own.', {
  replicas: optionalInt32(1, 'How many pods.', { default: 1, minimum: 0 }),
  selector: one(2, labelSelector, 'Pods that belong to it; cannot be changed.'),
  template: one(3, podTemplateSpec, 'The pods to make.'),
  volumeClaimTemplates: list(4, claimTemplate, 'Claims to make for each pod.'),
  serviceName: string(5, 'Service that gives the pods their names.'),
  podManagementPolicy: string(6, 'One after the other, or all at once.', {
    default: 'OrderedReady',
    enum: ['OrderedReady', 'Parallel'],
  }),
  updateStrategy: one(7, statefulSetUpdateStrategy, 'How pods are replaced.', {
    default: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  }),
  revisionHistoryLimit: optionalInt32(8, 'Old revisions to keep.', { default: 10, minimum: 0 }),
  minReadySeconds: int32(9, 'How long a pod must be ready to count as available.', { minimum: 0 }),
  persistentVolumeClaimRetentionPolicy: one(
    10,
    statefulSetPersistentVolumeClaimRetentionPolicy,
    'What becomes of claims.',
    { default: { whenDeleted: 'Retain', whenScaled: 'Retain' } },
  ),
  ordinals: one(11, statefulSetOrdinals, 'Numbering of the pods.'),
});

/** State of one aspect of a stateful set. */
export const statefulSetCondition = condition('State of one aspect of a stateful set.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

/** What became of a stateful set. */
export const statefulSetStatus = message('What became of a stateful set.', {
  observedGeneration: int64(1, 'Generation that this is about.'),
  replicas: optionalInt32(2, 'Pods in all.'),
  readyReplicas: int32(3, 'Pods that are ready.'),
  currentReplicas: int32(4, 'Pods of the current revision.'),
  updatedReplicas: int32(5, 'Pods of the newest revision.'),
  currentRevision: string(6, 'Name of the current revision.'),
  updateRevision: string(7, 'Name of the newest revision.'),
  collisionCount: optionalInt32(9, 'Clashes of revision names.'),
  conditions: list(10, statefulSetCondition, 'States of the stateful set.', { keys: ['type'], mergeKey: 'type' }),
  availableReplicas: optionalInt32(11, 'Pods that are available.'),
});

/** How pods are replaced bit by bit. */
export const rollingUpdateDaemonSet = message('How pods are replaced bit by bit.', {
  maxUnavailable: optionalIntOrString(1, 'How many may be missing, as number or percentage.', { default: 1 }),
  maxSurge: optionalIntOrString(2, 'How many may be there in addition, as number or percentage.', { default: 0 }),
});

/** How pods are replaced. */
export const daemonSetUpdateStrategy = message('How pods are replaced.', {
  type: string(1, 'Gradually, or when they are deleted.', {
    default: 'RollingUpdate',
    enum: ['OnDelete', 'RollingUpdate'],
  }),
  rollingUpdate: one(2, rollingUpdateDaemonSet, 'Settings of RollingUpdate.'),
});

/** A pod on every node. */
export const daemonSetSpec = message('A pod on every node.', {
  selector: one(1, labelSelector, 'Pods that belong to it; cannot be changed.', { required: true }),
  template: one(2, podTemplateSpec, 'The pod to make.', { required: true }),
  updateStrategy: one(3, daemonSetUpdateStrategy, 'How pods are replaced.', {
    default: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  }),
  minReadySeconds: int32(4, 'How long a pod must be ready to count as available.', { minimum: 0 }),
  revisionHistoryLimit: optionalInt32(6, 'Old revisions to keep.', { default: 10, minimum: 0 }),
});

/** State of one aspect of a daemon set. */
export const daemonSetCondition = condition('State of one aspect of a daemon set.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

/** What became of a daemon set. */
export const daemonSetStatus = message('What became of a daemon set.', {
  currentNumberScheduled: optionalInt32(1, 'Nodes that should have the pod and do.'),
  numberMisscheduled: optionalInt32(2, 'Nodes that should not have the pod but do.'),
  desiredNumberScheduled: optionalInt32(3, 'Nodes that should have the pod.'),
  numberReady: optionalInt32(4, 'Nodes whose pod is ready.'),
  observedGeneration: int64(5, 'Generation that this is about.'),
  updatedNumberScheduled: int32(6, 'Nodes with the newest pod.'),
  numberAvailable: int32(7, 'Nodes whose pod is available.'),
  numberUnavailable: int32(8, 'Nodes whose pod is missing.'),
  collisionCount: optionalInt32(9, 'Clashes of revision names.'),
  conditions: list(10, daemonSetCondition, 'States of the daemon set.', { keys: ['type'], mergeKey: 'type' }),
});
