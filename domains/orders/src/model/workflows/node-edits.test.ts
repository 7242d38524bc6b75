import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeEdits } from '../../kinds/workflows/index.ts';
import { editsOf, withEdits } from './node-edits.ts';

const suspended = { id: 'w-1', type: 'Suspend', phase: 'Running' };
const pod = { id: 'w-2', type: 'Pod', phase: 'Running' };
const running = { status: { phase: 'Running' }, nodes: { 'w-1': suspended, 'w-2': pod } };
const failed = { status: { phase: 'Failed', message: 'x' }, nodes: { 'w-1': suspended, 'w-2': pod } };
const resumed = { ...suspended, phase: 'Succeeded' };
const supplied = { ...suspended, outputs: { parameters: [{ name: 'a', value: 'yes' }] } };

interface Row {
  readonly why: string;
  readonly written: Parameters<typeof editsOf>[0];
  readonly known: Parameters<typeof editsOf>[1];
  readonly wanted: NodeEdits | undefined;
}

const rows: readonly Row[] = [
  { why: 'nothing was changed', written: running, known: running, wanted: undefined },
  {
    why: 'a suspended node is resumed',
    written: { ...running, nodes: { 'w-1': resumed, 'w-2': pod } },
    known: running,
    wanted: { nodes: { 'w-1': resumed } },
  },
  {
    why: 'an output of a suspended node is set',
    written: { ...running, nodes: { 'w-1': supplied } },
    known: running,
    wanted: { nodes: { 'w-1': supplied } },
  },
  {
    why: 'a pod cannot be ended by a client, and nodes that it has not read are not removed',
    written: { ...running, nodes: { 'w-2': { ...pod, phase: 'Succeeded' } } },
    known: running,
    wanted: undefined,
  },
  {
    why: 'a client that read earlier does not suspend again what was resumed',
    written: running,
    known: { ...running, nodes: { 'w-1': resumed } },
    wanted: undefined,
  },
  {
    why: 'a completed workflow is retried',
    written: { status: { phase: 'Running' }, nodes: { 'w-1': suspended } },
    known: failed,
    wanted: { restart: true, nodes: {}, removed: ['w-2'] },
  },
  {
    why: 'labels of a completed workflow are changed',
    written: { ...failed, nodes: {} },
    known: failed,
    wanted: undefined,
  },
  {
    why: 'a new workflow brings nodes of an earlier one',
    written: { status: {}, nodes: { 'w-1': resumed } },
    known: undefined,
    wanted: { nodes: { 'w-1': resumed } },
  },
];

describe('Edits of nodes', () => {
  for (const { why, written, known, wanted } of rows) {
    it(`are found when ${why}`, () => assert.deepEqual(editsOf(written, known), wanted));
  }

  it('of a retry take the condition that the workflow is complete', () => {
    const running = { type: 'PodRunning', status: 'False' };
    const conditions = [{ type: 'Completed', status: 'True' }, running];
    const { status } = withEdits({ ...failed, status: { ...failed.status, conditions } }, { restart: true });
    assert.deepEqual(status['conditions'], [running]);
  });

  it('are shown before they are taken over', () => {
    assert.deepEqual(withEdits(failed, { restart: true, removed: ['w-2'] }), {
      status: { phase: 'Running' },
      nodes: { 'w-1': suspended },
    });
  });
});
