import { builtIn, withStatus, workloadScale } from './built-in.ts';
import { age, count, orNone, selectorColumn, templateColumns, text } from './columns/columns.ts';
import { labelsText } from './columns/format.ts';
import { listAt, numberAt, textAt, valueAt } from './columns/read.ts';
import { json, one, optionalInt64 } from './message.ts';
import { daemonSetSpec, daemonSetStatus, statefulSetSpec, statefulSetStatus } from './messages/stateful-set.ts';

/** Pods with a name and storage of their own. */
export const statefulSet = builtIn({
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'Pods with a name and storage of their own.',
  fields: {
    spec: one(2, statefulSetSpec, 'The pods that are wanted.', { required: true }),
    status: one(3, statefulSetStatus, 'What became of them.'),
  },
  subresources: { status: true, scale: workloadScale },
  columns: [
    text('Ready', object => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
    age,
    ...templateColumns,
  ],
});

/** A pod on every node. */
export const daemonSet = builtIn({
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'A pod on every node.',
  fields: {
    spec: one(2, daemonSetSpec, 'The pod that is wanted.', { required: true }),
    status: one(3, daemonSetStatus, 'What became of it.'),
  },
  subresources: withStatus,
  columns: [
    count('Desired', object => numberAt(object, 'status', 'desiredNumberScheduled')),
    count('Current', object => numberAt(object, 'status', 'currentNumberScheduled')),
    count('Ready', object => numberAt(object, 'status', 'numberReady')),
    count('Up-to-date', object => numberAt(object, 'status', 'updatedNumberScheduled')),
    count('Available', object => numberAt(object, 'status', 'numberAvailable')),
    text('Node Selector', object => labelsText(valueAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    age,
    ...templateColumns,
    selectorColumn,
  ],
});

/** The controlling owner as `statefulset.apps/db`. */
function controllerText(object: unknown): string {
  const owner = listAt(object, 'metadata', 'ownerReferences').find(item => valueAt(item, 'controller') === true);
  if (owner === undefined) return '<none>';
  const [group] = textAt(owner, 'apiVersion').split('/').slice(0, -1);
  const kind = textAt(owner, 'kind').toLowerCase();
  return `${group === undefined ? kind : `${kind}.${group}`}/${textAt(owner, 'name')}`;
}

/** A state that a stateful set or daemon set was in. */
export const controllerRevision = builtIn({
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'A state that a stateful set or daemon set was in.',
  fields: {
    data: json(2, 'The state.'),
    revision: optionalInt64(3, 'Number of the revision.'),
  },
  columns: [
    text('Controller', object => orNone(controllerText(object))),
    count('Revision', object => numberAt(object, 'revision')),
    age,
  ],
});
