// Where a pod may run. Numbers and names as in Kubernetes 1.32.

import { list, message, one, optionalInt32, optionalInt64, optionalString, string } from '../message.ts';
import { labelSelector } from './meta.ts';

/** A condition on a label or field of a node. */
export const nodeSelectorRequirement = message('A condition on a label or field of a node.', {
  key: string(1, 'Label or field.', { required: true }),
  operator: string(2, 'How the values are compared.', {
    required: true,
    enum: ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'],
  }),
  values: list(3, 'string', 'Values to compare with.'),
});

/** Conditions that must all hold. */
export const nodeSelectorTerm = message(
  'Conditions that must all hold.',
  {
    matchExpressions: list(1, nodeSelectorRequirement, 'Conditions on labels.'),
    matchFields: list(2, nodeSelectorRequirement, 'Conditions on fields.'),
  },
  { atomic: true },
);

/** Chooses nodes; one term must hold. */
export const nodeSelector = message(
  'Chooses nodes; one term must hold.',
  {
    nodeSelectorTerms: list(1, nodeSelectorTerm, 'The terms.', { required: true }),
  },
  { atomic: true },
);

/** Nodes that are liked. */
export const preferredSchedulingTerm = message('Nodes that are liked.', {
  weight: optionalInt32(1, 'How much, 1 to 100.', { required: true, minimum: 1, maximum: 100 }),
  preference: one(2, nodeSelectorTerm, 'The nodes.'),
});

/** Rules about nodes. */
export const nodeAffinity = message('Rules about nodes.', {
  requiredDuringSchedulingIgnoredDuringExecution: one(1, nodeSelector, 'Nodes that are allowed.'),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, preferredSchedulingTerm, 'Nodes that are liked.'),
});

/** Pods, and the topology in which they count as near. */
export const podAffinityTerm = message('Pods, and the topology in which they count as near.', {
  labelSelector: one(1, labelSelector, 'The pods.'),
  namespaces: list(2, 'string', 'Namespaces of the pods.'),
  topologyKey: string(3, 'Label of nodes; equal values mean near.', { required: true }),
  namespaceSelector: one(4, labelSelector, 'Namespaces of the pods, by label.'),
  matchLabelKeys: list(5, 'string', 'Labels whose values are taken from the new pod and must be equal.'),
  mismatchLabelKeys: list(6, 'string', 'Labels whose values are taken from the new pod and must differ.'),
});

/** Pods that are liked, or disliked, as neighbours. */
export const weightedPodAffinityTerm = message('Pods that are liked, or disliked, as neighbours.', {
  weight: optionalInt32(1, 'How much, 1 to 100.', { required: true, minimum: 1, maximum: 100 }),
  podAffinityTerm: one(2, podAffinityTerm, 'The pods.', { required: true }),
});

/** Pods to be near to. */
export const podAffinity = message('Pods to be near to.', {
  requiredDuringSchedulingIgnoredDuringExecution: list(1, podAffinityTerm, 'Pods that must be near.'),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, weightedPodAffinityTerm, 'Pods that are liked.'),
});

/** Pods to be far from. */
export const podAntiAffinity = message('Pods to be far from.', {
  requiredDuringSchedulingIgnoredDuringExecution: list(1, podAffinityTerm, 'Pods that must not be near.'),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, weightedPodAffinityTerm, 'Pods that are disliked.'),
});

/** Rules about where the pod runs. */
export const affinity = message('Rules about where the pod runs.', {
  nodeAffinity: one(1, nodeAffinity, 'Rules about nodes.'),
  podAffinity: one(2, podAffinity, 'Pods to be near to.'),
  podAntiAffinity: one(3, podAntiAffinity, 'Pods to be far from.'),
});

/** Lets the pod run on nodes with a matching taint. */
export const toleration = message('Lets the pod run on nodes with a matching taint.', {
  key: string(1, 'Key of the taint; all of them by default.'),
  operator: string(2, 'How the value is compared; Equal by default.', { enum: ['', 'Equal', 'Exists'] }),
  value: string(3, 'Value of the taint.'),
  effect: string(4, 'Effect of the taint; all of them by default.', {
    enum: ['', 'NoExecute', 'NoSchedule', 'PreferNoSchedule'],
  }),
  tolerationSeconds: optionalInt64(5, 'How long a NoExecute taint is tolerated.'),
});

/** How pods spread over parts of the cluster. */
export const topologySpreadConstraint = message('How pods spread over parts of the cluster.', {
  maxSkew: optionalInt32(1, 'Largest allowed difference between two parts.', { required: true, minimum: 1 }),
  topologyKey: string(2, 'Label of nodes; equal values form one part.', { required: true }),
  whenUnsatisfiable: string(3, 'What happens if it cannot be kept.', {
    required: true,
    enum: ['DoNotSchedule', 'ScheduleAnyway'],
  }),
  labelSelector: one(4, labelSelector, 'The pods that are counted.'),
  minDomains: optionalInt32(5, 'Least number of parts.', { minimum: 1 }),
  nodeAffinityPolicy: optionalString(6, "Whether the pod's node rules limit the parts.", { enum: ['Honor', 'Ignore'] }),
  nodeTaintsPolicy: optionalString(7, 'Whether taints limit the parts.', { enum: ['Honor', 'Ignore'] }),
  matchLabelKeys: list(8, 'string', 'Labels whose values are taken from the new pod.'),
});
