import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { startTestKernel, type TestKernel } from '../test-kernel.ts';
import type { DeleteOptions } from './delete.ts';

const pod = (name: string) => ({
  metadata: { name },
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] },
});

describe('deleting an object', () => {
  let plane: TestKernel;
  before(async () => {
    // Maintenance does not run, so that the state after a deletion can be inspected.
    const leadership = { start: () => undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
    plane = await startTestKernel({ leadership });
  });
  after(() => plane[Symbol.asyncDispose]());

  test('removes it at once when nothing holds it', async () => {
    const { object } = await plane.create('configmaps', { metadata: { name: 'plain' } });
    const { served, isRemoved } = await plane.delete('configmaps', 'plain');
    assert.equal(isRemoved, true);
    assert.equal(served.object.metadata.uid, object.metadata.uid);
    assert.ok(served.revision > Number(object.metadata.resourceVersion));
    await assert.rejects(plane.delete('configmaps', 'plain'), error => isError(error, 'NotFound'));
  });

  test('marks it once when finalizers hold it, and may be repeated', async () => {
    await plane.create('configmaps', { metadata: { name: 'held', finalizers: ['example.org/hold'] } });
    const first = await plane.delete('configmaps', 'held');
    const { deletionTimestamp, deletionGracePeriodSeconds, generation } = first.served.object.metadata;
    assert.deepEqual([first.isRemoved, deletionGracePeriodSeconds, generation], [false, 0, undefined]);
    plane.clock.advance(10_000);
    const second = await plane.delete('configmaps', 'held');
    assert.equal(second.served.object.metadata.deletionTimestamp, deletionTimestamp);
    assert.equal(second.served.revision, first.served.revision);
  });

  const preconditions: readonly {
    why: string;
    make: (uid: string, version: string) => DeleteOptions;
    refused: boolean;
  }[] = [
    { why: 'the same uid', make: uid => ({ preconditions: { uid } }), refused: false },
    { why: 'another uid', make: () => ({ preconditions: { uid: 'x' } }), refused: true },
    { why: 'the same version', make: (_, resourceVersion) => ({ preconditions: { resourceVersion } }), refused: false },
    { why: 'another version', make: () => ({ preconditions: { resourceVersion: '1' } }), refused: true },
  ];
  for (const [index, { why, make, refused }] of preconditions.entries()) {
    test(`on condition of ${why} is ${refused ? 'rejected' : 'done'}`, async () => {
      const name = `pre-${index}`;
      const { uid = '', resourceVersion = '' } = (await plane.create('configmaps', { metadata: { name } })).object
        .metadata;
      const deleting = plane.delete('configmaps', name, make(uid, resourceVersion));
      if (refused)
        await assert.rejects(
          deleting,
          error => isError(error, 'Conflict') && /Precondition failed/.test(error.message),
        );
      else assert.equal((await deleting).isRemoved, true);
    });
  }

  test('waits for a pod to stop, for no longer than once agreed', async () => {
    await plane.create('pods', pod('slow'));
    const first = await plane.delete('pods', 'slow');
    assert.deepEqual([first.isRemoved, first.served.object.metadata.deletionGracePeriodSeconds], [false, 30]);
    assert.equal(
      first.served.object.metadata.deletionTimestamp,
      new Date(plane.clock.now().getTime() + 30_000).toISOString().replace('.000', ''),
    );
    const longer = await plane.delete('pods', 'slow', { gracePeriodSeconds: 60 });
    assert.equal(longer.served.object.metadata.deletionGracePeriodSeconds, 30);
    const shorter = await plane.delete('pods', 'slow', { gracePeriodSeconds: 5 });
    assert.equal(shorter.served.object.metadata.deletionGracePeriodSeconds, 5);
    assert.equal((await plane.delete('pods', 'slow', { gracePeriodSeconds: 0 })).isRemoved, true);
  });

  const policies: readonly { policy: DeleteOptions['propagationPolicy']; has: string[]; gets: string[] | undefined }[] =
    [
      { policy: undefined, has: [], gets: undefined },
      { policy: undefined, has: ['orphan'], gets: ['orphan'] },
      { policy: 'Background', has: ['foregroundDeletion'], gets: undefined },
      { policy: 'Foreground', has: ['example.org/a'], gets: ['example.org/a', 'foregroundDeletion'] },
      { policy: 'Orphan', has: ['foregroundDeletion'], gets: ['orphan'] },
    ];
  for (const [index, { policy, has, gets }] of policies.entries()) {
    test(`with policy ${policy ?? '(none)'} turns finalizers [${has.join()}] into [${gets?.join() ?? 'nothing'}]`, async () => {
      const name = `policy-${index}`;
      await plane.create('configmaps', { metadata: { name, finalizers: has } });
      const { isRemoved, served } = await plane.delete(
        'configmaps',
        name,
        policy === undefined ? {} : { propagationPolicy: policy },
      );
      if (gets === undefined) assert.equal(isRemoved, true);
      else assert.deepEqual(served.object.metadata.finalizers, gets);
    });
  }

  test('changes nothing in a dry run', async () => {
    await plane.create('configmaps', { metadata: { name: 'tried' } });
    const { isRemoved } = await plane.delete('configmaps', 'tried', {}, { write: { dryRun: true } });
    assert.equal(isRemoved, true);
    assert.equal((await plane.get('configmaps', 'tried')).metadata.deletionTimestamp, undefined);
  });

  test('is rejected for what the landscape cannot do without', async () => {
    await assert.rejects(plane.delete('namespaces', 'default'), error => isError(error, 'Forbidden'));
    await assert.rejects(
      plane.delete('core.chandlery.io/v1alpha1/logicalclusters', 'onboarding', {}, { cluster: 'platform' }),
      error => isError(error, 'Forbidden'),
    );
  });
});
