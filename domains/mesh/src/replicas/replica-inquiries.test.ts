import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually, startTestPlane } from '@chandlery/testing';
import fc from 'fast-check';
import { meshInquiries, meshInquiryAnswers } from '../kinds/mesh-inquiry.ts';
import { meshReplicas } from '../kinds/mesh-replica.ts';
import { ReplicaInquiries } from './replica-inquiries.ts';
import { splitList } from './split-list.ts';

const kinds = [meshReplicas.declaration, meshInquiries.declaration, meshInquiryAnswers.declaration];

/** Replicas with proxies of the meshes `acme` and `other`: all report, some respond to inquiries. */
async function start(replicas: Readonly<Record<string, readonly string[]>>, deaf: readonly string[] = []) {
  const stack = new AsyncDisposableStack();
  const platform = stack.use(await startTestPlane({ kinds })).connect('platform');
  const open = new Map<string, ReplicaInquiries<string>>();
  for (const [replica, proxies] of Object.entries(replicas)) {
    const meshes = [{ name: 'acme', proxies: proxies.length }];
    const spec = { trustVersion: '1', proxies: proxies.length, waitingFor: [], roots: [], meshes };
    await platform.create(meshReplicas.ref, meshReplicas.object({ name: replica }, spec));
    if (deaf.includes(replica)) continue;
    const proxiesOf = (mesh: string): readonly string[] => (mesh === 'acme' ? proxies : []);
    const options = { platform, replica, proxiesOf, timeoutMs: deaf.length > 0 ? 300 : 20_000, logger: silentLogger };
    open.set(replica, stack.use(new ReplicaInquiries(options)));
  }
  const ask = (replica: string, mesh = 'acme') => (open.get(replica) ?? assert.fail(replica)).ask(mesh);
  return { platform, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('each replica gets the proxies of all others', async () => {
  const long = Array.from({ length: 40 }, (_, no) => `${no} ${'x'.repeat(20_000)}`);
  await using registry = await start({ one: ['a'], two: ['b', 'c'], three: long, idle: [] });
  const { answers, silent } = await registry.ask('one');
  assert.deepEqual(silent, []);
  assert.deepEqual(answers.get('two'), ['b', 'c']);
  assert.deepEqual(new Set(answers.get('three')), new Set(long), 'also what is too much for one object');
  const back = await registry.ask('two');
  assert.deepEqual([back.answers.get('one'), back.answers.has('two')], [['a'], false]);
  await eventually(async () => {
    const left = [
      await registry.platform.list(meshInquiries.ref),
      await registry.platform.list(meshInquiryAnswers.ref),
    ];
    return left.every(({ items }) => items.length === 0) || undefined;
  });
});

test('replicas without proxies of the mesh are not asked', async () => {
  await using registry = await start({ one: ['a'], idle: [] });
  assert.deepEqual(await registry.ask('one'), { answers: new Map(), silent: [] });
  assert.deepEqual(await registry.ask('idle', 'other'), { answers: new Map(), silent: [] });
});

test('a replica that does not respond is named, and does not block the others', async () => {
  await using registry = await start({ one: ['a'], two: ['b'], dead: ['z'] }, ['dead']);
  const { answers, silent } = await eventually(async () => {
    const result = await registry.ask('one');
    // A response may be late once on a busy machine.
    return result.answers.has('two') ? result : undefined;
  });
  assert.deepEqual([[...answers], silent], [[['two', ['b']]], ['dead']]);
});

test('pieces are short lists that add up to the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), items => {
      const pieces = splitList(items, 20);
      assert.deepEqual(
        pieces.flatMap(piece => JSON.parse(piece) as unknown[]),
        items,
      );
      for (const piece of pieces) {
        const count = (JSON.parse(piece) as unknown[]).length;
        assert.ok(count <= 1 || piece.length <= 20 + count + 1, piece);
      }
    }),
  );
});
