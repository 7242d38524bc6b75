import type { KubeObject } from '../object.ts';
import { formatAge } from '../time.ts';
import { builtIn, subresource } from './built-in.ts';
import { age, orNone, text, wide } from './columns/columns.ts';
import { hasCondition, listAt, textAt } from './columns/read.ts';
import { inline, message, one, optionalBool } from './message.ts';
import { podSpec } from './messages/pod-spec.ts';
import { podStatus } from './messages/pod-status.ts';
import { summarizePod } from './pod-status-text.ts';

/** Templates leave this open; in a pod itself it has a default. */
const ownSpec = {
  schema: message('', {
    spec: inline(1, podSpec),
    enableServiceLinks: optionalBool(30, 'Whether services become environment variables.', { default: true }),
  }).schema,
  protobuf: podSpec.protobuf,
};

function restartsText(pod: KubeObject, now: Date): string {
  const { restarts, lastRestart } = summarizePod(pod);
  return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${formatAge(lastRestart, now)} ago)`;
}

function gatesText(pod: KubeObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map(gate => textAt(gate, 'conditionType'));
  if (gates.length === 0) return '<none>';
  return `${gates.filter(type => hasCondition(pod, type)).length}/${gates.length}`;
}

function readyText(pod: KubeObject): string {
  const { ready, total } = summarizePod(pod);
  return `${ready}/${total}`;
}

/** Containers that run together. */
export const pod = builtIn({
  group: '',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'Containers that run together on one node.',
  fields: {
    spec: one(2, ownSpec, 'What the pod is to be.', { required: true }),
    status: one(3, podStatus, 'What became of the pod.'),
  },
  subresources: {
    status: true,
    others: [
      subresource('binding', { group: '', version: 'v1', kind: 'Binding' }, ['create']),
      subresource('eviction', { group: 'policy', version: 'v1', kind: 'Eviction' }, ['create']),
      subresource('log', { group: '', version: 'v1', kind: 'Pod' }, ['get']),
    ],
  },
  selectableFields: [
    '.spec.nodeName',
    '.spec.restartPolicy',
    '.spec.schedulerName',
    '.spec.serviceAccountName',
    '.spec.hostNetwork',
    '.status.phase',
    '.status.podIP',
    '.status.nominatedNodeName',
  ],
  columns: [
    text('Ready', readyText),
    text('Status', object => summarizePod(object).status),
    text('Restarts', restartsText),
    age,
    wide(text('IP', object => orNone(textAt(object, 'status', 'podIP')))),
    wide(text('Node', object => orNone(textAt(object, 'spec', 'nodeName')))),
    wide(text('Nominated Node', object => orNone(textAt(object, 'status', 'nominatedNodeName')))),
    wide(text('Readiness Gates', gatesText)),
  ],
});
