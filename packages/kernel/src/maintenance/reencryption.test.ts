import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyring, keyIdOfCiphertext } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import type { Store } from '../store/store.ts';
import { openTestStore, startKernelOn } from '../test-kernel.ts';
import { type ReencryptionState, readReencryption } from './reencryption.ts';

const [first, second] = ['1', '2'].map(digit => ({ id: digit.repeat(16), key: Buffer.alloc(32, digit) })) as [
  { id: string; key: Buffer },
  { id: string; key: Buffer },
];
const secrets = { resource: '/secrets' };
const count = 250;

/** A store with Secrets that the first key has encrypted. */
async function storeWithSecrets(store: Store): Promise<void> {
  await using world = await startKernelOn(store, { cipher: new Keyring([first]) });
  for (let no = 0; no < count; no++)
    await world.create('secrets', { metadata: { name: `s${no}`, labels: { no: String(no) } }, data: { a: 'YQ==' } });
}

const finished = (store: Store): Promise<ReencryptionState> =>
  eventually(async () => {
    const state = await readReencryption(store);
    return state?.finishedAt === undefined ? undefined : state;
  });

async function keyIdsIn(store: Store): Promise<ReadonlySet<string | undefined>> {
  const { items } = await store.list(secrets);
  return new Set(items.map(({ value }) => keyIdOfCiphertext(value.bytes)));
}

test('objects of an earlier key are encrypted again, once, and stay what they are', async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  await storeWithSecrets(store);
  assert.equal(await readReencryption(store), undefined, 'one key needs no pass');
  await using world = await startKernelOn(store, { cipher: new Keyring([second, first]) });
  const before = await store.currentRevision();
  const state = await finished(store);
  assert.deepEqual([state.keyId, state.rewritten >= count, state.unreadable], [second.id, true, 0]);
  assert.deepEqual([...(await keyIdsIn(store))], [second.id]);
  const object = await world.get('secrets', 's7');
  assert.deepEqual(object['data'], { a: 'YQ==' });
  assert.equal(object.metadata.generation, undefined);
  assert.ok(Number(object.metadata.resourceVersion) > before, 'it is a write that watches see');
  const labelled = await world.list('secrets', { labelSelector: 'no=7' });
  assert.equal(labelled.length, 1, 'it is indexed as before');
});

test('a pass that was interrupted continues where it was, with the same counts', async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  await storeWithSecrets(store);
  const cipher = (): Keyring => new Keyring([second, first]);
  {
    await using _world = await startKernelOn(store, { cipher: cipher() });
    await eventually(async () => ((await readReencryption(store))?.examined ?? 0) >= 100);
  }
  const interrupted = (await readReencryption(store)) ?? assert.fail();
  assert.equal(interrupted.finishedAt, undefined, 'it was through before it was stopped');
  await using _world = await startKernelOn(store, { cipher: cipher() });
  const { startedAt, examined } = await finished(store);
  assert.equal(startedAt, interrupted.startedAt);
  assert.equal(examined, (await store.list(secrets)).items.length);
  assert.deepEqual([...(await keyIdsIn(store))], [second.id]);
});

test('what no key can read is counted, reported, and left as it is', async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  await storeWithSecrets(store);
  const other = { id: '3'.repeat(16), key: Buffer.alloc(32, '3') };
  await using world = await startKernelOn(store, { cipher: new Keyring([second, other]) });
  const { unreadable, rewritten } = await finished(store);
  assert.ok(unreadable >= count);
  assert.equal(rewritten, 0);
  assert.ok(world.failures.length >= count);
});
