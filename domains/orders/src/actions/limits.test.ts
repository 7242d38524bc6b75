import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OrdersError } from '../errors.ts';
import { startTestOrders } from '../test-orders.ts';

const actor = { username: 'ann', tenant: 'default' };
const other = { username: 'bob', tenant: 'kube-system' };

async function* bytes(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size, String(sizes.length));
}

const exceeds = (limit: string) => (error: unknown) =>
  error instanceof OrdersError &&
  error.restCode === 'limit-exceeded' &&
  error.status === 403 &&
  error.facts.name === limit;

describe('the limits of a tenant', () => {
  test('on bytes of artifacts count what is there, what is announced, and what is on its way', async () => {
    await using orders = await startTestOrders({ settings: { artifactBytes: 100 } });
    const { artifacts } = orders.actions;
    const first = await artifacts.createWithContent(actor, {}, { bytes: bytes(40), length: 40 });
    await artifacts.createPending(actor, {}, 40);
    await assert.rejects(
      artifacts.createWithContent(actor, {}, { bytes: bytes(21), length: 21 }),
      exceeds('artifactBytes'),
    );
    await assert.rejects(artifacts.createPending(actor, {}, 21), exceeds('artifactBytes'));
    await assert.rejects(
      artifacts.createWithContent(actor, {}, { bytes: bytes(10, 11), length: undefined }),
      exceeds('artifactBytes'),
      'a length that the client does not tell',
    );
    await artifacts.createWithContent(other, {}, { bytes: bytes(100), length: 100 });
    await artifacts.remove(first);
    await artifacts.createWithContent(actor, {}, { bytes: bytes(60), length: 60 });
  });

  test('hold for requests at the same time', async () => {
    await using orders = await startTestOrders({ settings: { artifactBytes: 100 } });
    const { artifacts } = orders.actions;
    const create = () => artifacts.createWithContent(actor, {}, { bytes: bytes(30), length: 30 });
    const results = await Promise.allSettled(Array.from({ length: 8 }, create));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3);
    assert.equal(orders.deps.usage.bytesIn('orders-default'), 90);
    const begun = await Promise.allSettled(Array.from({ length: 8 }, () => artifacts.createPending(actor, {}, 4)));
    assert.equal(begun.filter(({ status }) => status === 'fulfilled').length, 2);
  });

  test('on uploads of unknown length count each piece', async () => {
    await using orders = await startTestOrders({ settings: { artifactBytes: 100 } });
    const { artifacts } = orders.actions;
    const { id } = await artifacts.createPending(actor, {}, undefined);
    const piece = (offset: number, size: number) =>
      artifacts.appendPiece(id, { offset, uploadLength: undefined, bytes: bytes(size), length: size });
    await piece(0, 60);
    assert.equal(orders.deps.usage.bytesIn('orders-default'), 60);
    await assert.rejects(piece(60, 50), exceeds('artifactBytes'));
    await piece(60, 40);
    assert.equal(orders.deps.usage.bytesIn('orders-default'), 100);
  });

  test('on unfinished uploads, records and messages', async () => {
    await using orders = await startTestOrders({ settings: { unfinishedUploads: 1, records: 4, messageBytes: 10 } });
    const { artifacts, queues, services } = orders.actions;
    await artifacts.createPending(actor, {}, 1);
    await assert.rejects(artifacts.createPending(actor, {}, 1), exceeds('unfinishedUploads'));
    const queue = await queues.create(actor, { name: 'q' });
    await queues.send(queue, actor, { content: '123456' });
    await assert.rejects(queues.send(queue, actor, { content: '12345' }), exceeds('messageBytes'));
    await services.create(actor, { description: 'd' });
    await assert.rejects(services.create(actor, { description: 'd' }), exceeds('records'));
    await services.create(other, { description: 'd' });
  });

  test('on the size of one artifact', async () => {
    await using orders = await startTestOrders({ settings: { artifactMaxBytes: 10 } });
    const { artifacts } = orders.actions;
    const tooLarge = { code: 'Orders:too-large' };
    await assert.rejects(artifacts.createWithContent(actor, {}, { bytes: bytes(11), length: 11 }), tooLarge);
    await assert.rejects(artifacts.createWithContent(actor, {}, { bytes: bytes(6, 5), length: undefined }), tooLarge);
    await assert.rejects(artifacts.createPending(actor, {}, 11), tooLarge);
    assert.deepEqual([...orders.registry.artifacts.all()], []);
  });
});

test('an upload that is in progress is not touched by another request', async () => {
  await using orders = await startTestOrders();
  const { artifacts } = orders.actions;
  const { id } = await artifacts.createPending(actor, {}, 2);
  const gate = Promise.withResolvers<void>();
  const slow = async function* () {
    yield Buffer.from('a');
    await gate.promise;
    yield Buffer.from('b');
  };
  const first = artifacts.appendPiece(id, { offset: 0, uploadLength: undefined, bytes: slow(), length: 2 });
  await assert.rejects(artifacts.appendPiece(id, { offset: 0, uploadLength: undefined, bytes: bytes(2), length: 2 }), {
    code: 'Orders:upload-busy',
  });
  gate.resolve();
  assert.equal((await first).status.status, 'ready');
});

test('a piece waits for the end of the one before it, whose connection was cut', async () => {
  await using orders = await startTestOrders();
  const { artifacts } = orders.actions;
  const { id } = await artifacts.createPending(actor, {}, 2);
  const cut = Promise.withResolvers<void>();
  const slow = async function* () {
    yield Buffer.from('a');
    await cut.promise;
    throw new Error('cut');
  };
  const first = artifacts.appendPiece(id, { offset: 0, uploadLength: undefined, bytes: slow(), length: 2 });
  const second = artifacts.appendPiece(id, { offset: 1, uploadLength: undefined, bytes: bytes(1), length: 1 });
  setTimeout(() => cut.resolve(), 100);
  await assert.rejects(first, /cut/);
  assert.equal((await second).status.status, 'ready');
});
