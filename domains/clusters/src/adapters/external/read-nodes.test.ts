import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { readNodes } from './read-nodes.ts';

const { signal } = new AbortController();
const node = (status: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {},
  status: { conditions: [{ type: 'Ready', status }] },
});

function clientOf(read: () => Iterable<KubeObject>): Pick<Client, 'listAll'> {
  return {
    listAll: async function* () {
      yield* read();
    } as never,
  };
}

describe('Reading the nodes of an external cluster', () => {
  const cases: readonly { why: string; read: () => Iterable<KubeObject>; expected: string }[] = [
    { why: 'the second is ready', read: () => [node('False'), node('True')], expected: 'True NodesReady' },
    { why: 'none is ready', read: () => [node('False')], expected: 'False NodesNotReady' },
    { why: 'there are none', read: () => [], expected: 'False NoNode' },
    { why: 'the API has no such kind', read: failing('NotFound'), expected: 'False NoNode' },
    { why: 'they may not be listed', read: failing('Forbidden'), expected: 'Unknown NodesUnreadable' },
  ];
  for (const { why, read, expected } of cases) {
    it(`finds ${expected} when ${why}`, async () => {
      const { status, reason } = await readNodes(clientOf(read), signal);
      assert.equal(`${status} ${reason}`, expected);
    });
  }

  it('leaves a lost connection to its caller', async () => {
    await assert.rejects(readNodes(clientOf(failing('ServiceUnavailable')), signal), { code: 'ServiceUnavailable' });
  });
});

function failing(code: 'NotFound' | 'Forbidden' | 'ServiceUnavailable'): () => Iterable<KubeObject> {
  return () => {
    throw apiError(code, 'no');
  };
}
