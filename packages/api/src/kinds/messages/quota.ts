// Quotas and limits of a namespace. Numbers and names as in Kubernetes 1.32.

import { list, map, message, one, string } from '../message.ts';

/** A condition on a scope. */
export const scopedResourceSelectorRequirement = message('A condition on a scope.', {
  scopeName: string(1, 'The scope.', {
    required: true,
    enum: [
      'BestEffort',
      'CrossNamespacePodAffinity',
      'NotBestEffort',
      'NotTerminating',
      'PriorityClass',
      'Terminating',
    ],
  }),
  operator: string(2, 'How the values are compared.', {
    required: true,
    enum: ['DoesNotExist', 'Exists', 'In', 'NotIn'],
  }),
  values: list(3, 'string', 'Values to compare with.'),
});

/** Chooses what a quota counts. */
export const scopeSelector = message(
  'Chooses what a quota counts.',
  {
    matchExpressions: list(1, scopedResourceSelectorRequirement, 'Conditions that must all hold.'),
  },
  { atomic: true },
);

/** Limits of a namespace. */
export const resourceQuotaSpec = message('Limits of a namespace.', {
  hard: map(1, 'quantity', 'The most of each resource.'),
  scopes: list(2, 'string', 'What is counted.'),
  scopeSelector: one(3, scopeSelector, 'What is counted, by conditions.'),
});

/** Use of a namespace. */
export const resourceQuotaStatus = message('Use of a namespace.', {
  hard: map(1, 'quantity', 'Limits in force.'),
  used: map(2, 'quantity', 'What is used.'),
});

/** Limits for one kind of thing. */
export const limitRangeItem = message('Limits for one kind of thing.', {
  type: string(1, 'What is limited: Pod, Container or PersistentVolumeClaim.', { required: true }),
  max: map(2, 'quantity', 'The most of each resource.'),
  min: map(3, 'quantity', 'The least of each resource.'),
  default: map(4, 'quantity', 'Limits for those who name none.'),
  defaultRequest: map(5, 'quantity', 'Requests for those who name none.'),
  maxLimitRequestRatio: map(6, 'quantity', 'Largest ratio of limit to request.'),
});

/** Limits of single objects in a namespace. */
export const limitRangeSpec = message('Limits of single objects in a namespace.', {
  limits: list(1, limitRangeItem, 'The limits.'),
});
