// Horizontal pod autoscalers. Numbers and names as in Kubernetes 1.32.

import {
  int32,
  list,
  message,
  one,
  optionalInt32,
  optionalInt64,
  optionalQuantity,
  optionalString,
  string,
  time,
} from '../message.ts';
import { condition, labelSelector } from './meta.ts';

/** Points at an object of the namespace. */
export const crossVersionObjectReference = message(
  'Points at an object of the namespace.',
  {
    kind: string(1, 'Kind of the object.', { required: true }),
    name: string(2, 'Name of the object.', { required: true }),
    apiVersion: string(3, 'API version of the object.'),
  },
  { atomic: true },
);

/** The value that is aimed at. */
export const metricTarget = message('The value that is aimed at.', {
  type: string(1, 'How it is expressed.', { required: true, enum: ['AverageValue', 'Utilization', 'Value'] }),
  value: optionalQuantity(2, 'Total value.'),
  averageValue: optionalQuantity(3, 'Value per pod.'),
  averageUtilization: optionalInt32(4, 'Percentage of the request, per pod.', { minimum: 1 }),
});

/** A metric. */
export const metricIdentifier = message('A metric.', {
  name: string(1, 'Its name.', { required: true }),
  selector: one(2, labelSelector, 'Its labels.'),
});

/** A metric of an object. */
export const objectMetricSource = message('A metric of an object.', {
  describedObject: one(1, crossVersionObjectReference, 'The object.', { required: true }),
  target: one(2, metricTarget, 'The value that is aimed at.', { required: true }),
  metric: one(3, metricIdentifier, 'The metric.', { required: true }),
});

/** A metric of each pod. */
export const podsMetricSource = message('A metric of each pod.', {
  metric: one(1, metricIdentifier, 'The metric.', { required: true }),
  target: one(2, metricTarget, 'The value that is aimed at.', { required: true }),
});

/** A compute resource of each pod. */
export const resourceMetricSource = message('A compute resource of each pod.', {
  name: string(1, 'The resource.', { required: true }),
  target: one(2, metricTarget, 'The value that is aimed at.', { required: true }),
});

/** A compute resource of one container of each pod. */
export const containerResourceMetricSource = message('A compute resource of one container of each pod.', {
  name: string(1, 'The resource.', { required: true }),
  target: one(2, metricTarget, 'The value that is aimed at.', { required: true }),
  container: string(3, 'The container.', { required: true }),
});

/** A metric from outside the cluster. */
export const externalMetricSource = message('A metric from outside the cluster.', {
  metric: one(1, metricIdentifier, 'The metric.', { required: true }),
  target: one(2, metricTarget, 'The value that is aimed at.', { required: true }),
});

/** A metric to scale by. */
export const metricSpec = message('A metric to scale by.', {
  type: string(1, 'Which of the fields is used.', {
    required: true,
    enum: ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'],
  }),
  object: one(2, objectMetricSource, 'A metric of an object.'),
  pods: one(3, podsMetricSource, 'A metric of each pod.'),
  resource: one(4, resourceMetricSource, 'A compute resource of each pod.'),
  containerResource: one(7, containerResourceMetricSource, 'A compute resource of one container.'),
  external: one(5, externalMetricSource, 'A metric from outside.'),
});

/** A limit on the speed of scaling. */
export const hpaScalingPolicy = message('A limit on the speed of scaling.', {
  type: string(1, 'Pods or percentage.', { required: true, enum: ['Percent', 'Pods'] }),
  value: optionalInt32(2, 'How many.', { required: true, minimum: 1 }),
  periodSeconds: optionalInt32(3, 'In what time.', { required: true, minimum: 1, maximum: 1800 }),
});

/** How fast to scale in one direction. */
export const hpaScalingRules = message('How fast to scale in one direction.', {
  stabilizationWindowSeconds: optionalInt32(3, 'How far to look back.', { minimum: 0, maximum: 3600 }),
  selectPolicy: optionalString(1, 'Which of the limits counts.', { enum: ['Disabled', 'Max', 'Min'] }),
  policies: list(2, hpaScalingPolicy, 'The limits.'),
});

/** How fast to scale. */
export const horizontalPodAutoscalerBehavior = message('How fast to scale.', {
  scaleUp: one(1, hpaScalingRules, 'Upwards.'),
  scaleDown: one(2, hpaScalingRules, 'Downwards.'),
});

/** What is scaled, and by what. */
export const horizontalPodAutoscalerSpec = message('What is scaled, and by what.', {
  scaleTargetRef: one(1, crossVersionObjectReference, 'The object to scale.', { required: true }),
  minReplicas: optionalInt32(2, 'Fewest pods.', { default: 1, minimum: 0 }),
  maxReplicas: optionalInt32(3, 'Most pods.', { required: true, minimum: 1 }),
  metrics: list(4, metricSpec, 'Metrics to scale by.'),
  behavior: one(5, horizontalPodAutoscalerBehavior, 'How fast to scale.'),
});

/** A measured value. */
export const metricValueStatus = message('A measured value.', {
  value: optionalQuantity(1, 'Total value.'),
  averageValue: optionalQuantity(2, 'Value per pod.'),
  averageUtilization: optionalInt32(3, 'Percentage of the request, per pod.'),
});

/** A measured metric of an object. */
export const objectMetricStatus = message('A measured metric of an object.', {
  metric: one(1, metricIdentifier, 'The metric.'),
  current: one(2, metricValueStatus, 'The value.'),
  describedObject: one(3, crossVersionObjectReference, 'The object.'),
});

/** A measured metric of the pods. */
export const podsMetricStatus = message('A measured metric of the pods.', {
  metric: one(1, metricIdentifier, 'The metric.'),
  current: one(2, metricValueStatus, 'The value.'),
});

/** A measured compute resource. */
export const resourceMetricStatus = message('A measured compute resource.', {
  name: string(1, 'The resource.'),
  current: one(2, metricValueStatus, 'The value.'),
});

/** A measured compute resource of one container. */
export const containerResourceMetricStatus = message('A measured compute resource of one container.', {
  name: string(1, 'The resource.'),
  current: one(2, metricValueStatus, 'The value.'),
  container: string(3, 'The container.'),
});

/** A measured metric from outside. */
export const externalMetricStatus = message('A measured metric from outside.', {
  metric: one(1, metricIdentifier, 'The metric.'),
  current: one(2, metricValueStatus, 'The value.'),
});

/** A measured metric. */
export const metricStatus = message('A measured metric.', {
  type: string(1, 'Which of the fields is used.'),
  object: one(2, objectMetricStatus, 'A metric of an object.'),
  pods: one(3, podsMetricStatus, 'A metric of each pod.'),
  resource: one(4, resourceMetricStatus, 'A compute resource of each pod.'),
  containerResource: one(7, containerResourceMetricStatus, 'A compute resource of one container.'),
  external: one(5, externalMetricStatus, 'A metric from outside.'),
});

/** State of one aspect of an autoscaler. */
export const horizontalPodAutoscalerCondition = condition('State of one aspect of an autoscaler.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

/** What became of an autoscaler. */
export const horizontalPodAutoscalerStatus = message('What became of an autoscaler.', {
  observedGeneration: optionalInt64(1, 'Generation that this is about.'),
  lastScaleTime: time(2, 'When it scaled last.'),
  currentReplicas: int32(3, 'Pods as last seen.'),
  desiredReplicas: optionalInt32(4, 'Pods as last worked out.'),
  currentMetrics: list(5, metricStatus, 'Measured metrics.'),
  conditions: list(6, horizontalPodAutoscalerCondition, 'States of the autoscaler.', {
    keys: ['type'],
    mergeKey: 'type',
  }),
});
