import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { startTestPlane, type TestPlane } from '../controller/test-plane.ts';
import type { FencingToken } from './fencing-token.ts';
import { type FencedClient, fenceAnnotation, withFence } from './with-fence.ts';

const maps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
const map = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});
const token = (value: number, lease = 'default/leader'): FencingToken => ({
  lease,
  value,
  leaseTransitions: value,
  resourceVersion: String(value),
});
const isFenced = (error: unknown): boolean => isError(error, 'Fenced');

type Write = (client: FencedClient, name: string) => Promise<unknown>;

const data = { a: 'b' };
const writes: Readonly<Record<string, Write>> = {
  update: async (client, name) => client.update({ ...maps, name }, { ...(await client.get({ ...maps, name })), data }),
  'merge patch': (client, name) => client.patch({ ...maps, name }, { type: 'merge', body: { data } }),
  'json patch': (client, name) =>
    client.patch({ ...maps, name }, { type: 'json', body: [{ op: 'add', path: '/data', value: data }] }),
  apply: (client, name) =>
    client.patch(
      { ...maps, name },
      { type: 'apply', body: { ...map(name), data }, force: true },
      { fieldManager: 'test' },
    ),
};

describe('A fence', () => {
  let plane: TestPlane;
  let count = 0;
  before(async () => {
    plane = await startTestPlane();
  });
  after(() => plane[Symbol.asyncDispose]());

  for (const [how, write] of Object.entries(writes)) {
    it(`lets a holder write by ${how} until a later one has`, async () => {
      const [name, old, later] = [`m${++count}`, withFence(plane.client, token(1)), withFence(plane.client, token(2))];
      await plane.client.create(maps, map(name));
      await write(old, name);
      await write(later, name);
      const written = await plane.client.get({ ...maps, name });
      assert.equal(written.metadata.annotations?.[fenceAnnotation], 'default/leader=2');
      assert.deepEqual(written['data'], data);
      await assert.rejects(write(old, name), isFenced);
      await write(later, name);
      await assert.rejects(old.delete({ ...maps, name }), isFenced);
      await later.delete({ ...maps, name });
    });
  }

  it('binds what it creates, and ignores holders of other leases', async () => {
    const later = withFence(plane.client, token(2));
    await later.create(maps, map('created'));
    await assert.rejects(
      writes['apply']?.(withFence(plane.client, token(1)), 'created') ?? Promise.resolve(),
      isFenced,
    );
    await writes['apply']?.(withFence(plane.client, token(1, 'default/other')), 'created');
  });

  it('stops a write that was checked before the later holder wrote', async () => {
    const name = `m${++count}`;
    await plane.client.create(maps, map(name));
    const later = withFence(plane.client, token(2));
    let isFirst = true;
    const slow: FencedClient = {
      ...withFence(plane.client, token(1)),
      get: (ref, options) => plane.client.get(ref, options),
      patch: async (ref, patch, options) => {
        if (isFirst) await writes['merge patch']?.(later, name);
        isFirst = false;
        return plane.client.patch(ref, patch, options);
      },
    };
    const old = withFence(slow, token(1));
    await assert.rejects(writes['merge patch']?.(old, name) ?? Promise.resolve(), isFenced);
  });
});
