import { builtIn, withStatus } from './built-in.ts';
import { age, orNone, text, wide } from './columns/columns.ts';
import { conditionOf, fieldsAt, listAt, textAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import { nodeSpec, nodeStatus } from './messages/node.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function readinessText(node: unknown): string {
  const ready = conditionOf(node, 'Ready');
  if (ready === undefined) return 'Unknown';
  return textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
}

const statusText = (node: unknown): string =>
  valueAt(node, 'spec', 'unschedulable') === true ? `${readinessText(node)},SchedulingDisabled` : readinessText(node);

function rolesText(node: unknown): string {
  const roles = Object.entries(fieldsAt(node, 'metadata', 'labels')).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === ROLE_LABEL ? [String(value)] : [];
  });
  return orNone(
    [...new Set(roles)]
      .filter(name => name !== '')
      .sort()
      .join(','),
  );
}

function addressText(node: unknown, type: string): string {
  const address = listAt(node, 'status', 'addresses').find(item => textAt(item, 'type') === type);
  return orNone(textAt(address, 'address'));
}

const infoText = (node: unknown, field: string): string => textAt(node, 'status', 'nodeInfo', field) || '<unknown>';

/** A machine that runs pods. */
export const node = builtIn({
  group: '',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  keepsGeneration: false,
  description: 'A machine that runs pods.',
  fields: {
    spec: one(2, nodeSpec, 'What the node is to be.'),
    status: one(3, nodeStatus, 'What became of the node.'),
  },
  subresources: withStatus,
  selectableFields: ['.spec.unschedulable'],
  columns: [
    text('Status', statusText),
    text('Roles', rolesText),
    age,
    text('Version', object => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
    wide(text('Internal-IP', object => addressText(object, 'InternalIP'))),
    wide(text('External-IP', object => addressText(object, 'ExternalIP'))),
    wide(text('OS-Image', object => infoText(object, 'osImage'))),
    wide(text('Kernel-Version', object => infoText(object, 'kernelVersion'))),
    wide(text('Container-Runtime', object => infoText(object, 'containerRuntimeVersion'))),
  ],
});
