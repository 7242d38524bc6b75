import type { Column } from '../kind.ts';
import { builtIn, workloadScale } from './built-in.ts';
import { age, count, selectorColumn, templateColumns, text, wide } from './columns/columns.ts';
import { labelsText } from './columns/format.ts';
import { numberAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import {
  deploymentSpec,
  deploymentStatus,
  replicaSetSpec,
  replicaSetStatus,
  replicationControllerSpec,
  replicationControllerStatus,
} from './messages/deployment.ts';

const scalable = { status: true, scale: workloadScale } as const;

/** Pods of one template, replaced step by step when the template changes. */
export const deployment = builtIn({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'Pods of one template, replaced step by step when the template changes.',
  fields: {
    spec: one(2, deploymentSpec, 'The pods that are wanted.', { required: true }),
    status: one(3, deploymentStatus, 'What became of them.'),
  },
  subresources: scalable,
  columns: [
    text('Ready', object => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
    count('Up-to-date', object => numberAt(object, 'status', 'updatedReplicas')),
    count('Available', object => numberAt(object, 'status', 'availableReplicas')),
    age,
    ...templateColumns,
    selectorColumn,
  ],
});

const replicaColumns: readonly Column[] = [
  count('Desired', object => numberAt(object, 'spec', 'replicas')),
  count('Current', object => numberAt(object, 'status', 'replicas')),
  count('Ready', object => numberAt(object, 'status', 'readyReplicas')),
  age,
  ...templateColumns,
];

/** A number of equal pods. */
export const replicaSet = builtIn({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'A number of equal pods.',
  fields: {
    spec: one(2, replicaSetSpec, 'The pods that are wanted.', { required: true }),
    status: one(3, replicaSetStatus, 'What became of them.'),
  },
  subresources: scalable,
  selectableFields: ['.status.replicas'],
  columns: [...replicaColumns, selectorColumn],
});

/** The forerunner of replica sets. */
export const replicationController = builtIn({
  group: '',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'A number of equal pods; replica sets are the newer form.',
  fields: {
    spec: one(2, replicationControllerSpec, 'The pods that are wanted.'),
    status: one(3, replicationControllerStatus, 'What became of them.'),
  },
  subresources: scalable,
  selectableFields: ['.status.replicas'],
  columns: [...replicaColumns, wide(text('Selector', object => labelsText(valueAt(object, 'spec', 'selector'))))],
});
