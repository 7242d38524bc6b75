import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { SharedInformers } from './shared-informers.ts';
import { TestCollection, testRef } from './test-collection.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

test('those who want the same share one informer and its watch', async () => {
  const server = new TestCollection();
  const other = new TestCollection();
  server.put('a');
  await using informers = new SharedInformers();
  const { client } = server;
  const first = informers.informer({ client, ref: testRef });
  const second = informers.informer({ client, ref: { ...testRef }, indexes: { uid: o => [o.metadata.uid ?? ''] } });
  assert.equal(first, second);
  for (const different of [
    { client, ref: { ...testRef, namespace: 'default' } },
    { client, ref: testRef, labelSelector: 'a=b' },
    { client: other.client, ref: testRef },
  ])
    assert.notEqual(informers.informer(different), first);
  await informers.synced();
  assert.equal(first.byIndex('uid', 'uid-101').length, 1);
  assert.equal(server.calls.watches, 3);
  assert.throws(
    () => informers.informer({ client, ref: testRef, transform: withoutManagedFields }),
    error => isError(error, 'InformerConflict'),
  );
});

test('releasing a client stops its informers only', async () => {
  const here = new TestCollection();
  const there = new TestCollection();
  await using informers = new SharedInformers();
  for (const { client } of [here, there]) informers.informer({ client, ref: testRef });
  await informers.synced();
  await informers.release(here.client);
  assert.deepEqual([here.openWatches, there.openWatches], [0, 1]);
});
