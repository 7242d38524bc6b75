import { builtIn, subresource } from './built-in.ts';
import { age, text } from './columns/columns.ts';
import { textAt } from './columns/read.ts';
import { list, message, one, string } from './message.ts';
import { condition } from './messages/meta.ts';

const namespaceCondition = condition('State of one aspect of a namespace.', {
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
});

/** A part of the cluster that other objects live in. */
export const namespace = builtIn({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  keepsGeneration: false,
  nameRule: 'dns-label',
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  description: 'A part of the cluster that other objects live in.',
  fields: {
    spec: one(
      2,
      message('What the namespace is to be.', {
        finalizers: list(1, 'string', 'Who must agree before the namespace is deleted.'),
      }),
      'What the namespace is to be.',
    ),
    status: one(
      3,
      message('What became of the namespace.', {
        phase: string(1, 'Active or Terminating.'),
        conditions: list(2, namespaceCondition, 'States of the namespace.', { keys: ['type'], mergeKey: 'type' }),
      }),
      'What became of the namespace.',
    ),
  },
  subresources: {
    status: true,
    others: [subresource('finalize', { group: '', version: 'v1', kind: 'Namespace' }, ['update'])],
  },
  selectableFields: ['.status.phase'],
  columns: [text('Status', object => textAt(object, 'status', 'phase')), age],
});
