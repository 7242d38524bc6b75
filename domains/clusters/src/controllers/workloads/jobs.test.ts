import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { findCondition, isTrue } from '../../model/workloads/conditions.ts';
import type { Job, PodObject } from '../../model/workloads/objects.ts';
import { refs } from './refs.ts';
import { at, jobOf, shell, startTestCluster, untilGone, untilObject, within } from './test-workloads.ts';

const untilFinished = (client: Client, name: string): Promise<Job> =>
  untilObject<Job>(client, refs.jobs, name, ({ status }) =>
    ['Complete', 'Failed'].some(type => isTrue(status?.conditions, type)),
  );

const podsOf = async (client: Client, job: string): Promise<readonly PodObject[]> =>
  (await client.list<PodObject>(within(refs.pods), { labelSelector: `batch.kubernetes.io/job-name=${job}` })).items;

describe('a job on a local cluster', { timeout: 120_000 }, () => {
  test('completes when as many pods have succeeded as it asks for', async () => {
    await using cluster = await startTestCluster();
    const { client, node } = cluster;
    await client.create(within(refs.jobs), jobOf('sum', shell('echo done'), { completions: 3, parallelism: 2 }));
    const { status } = await untilFinished(client, 'sum');
    assert.ok(isTrue(status?.conditions, 'Complete'));
    assert.deepEqual([status?.succeeded, status?.failed, status?.active], [3, undefined, undefined]);
    assert.ok(status?.startTime !== undefined && status.completionTime !== undefined);
    const pods = await podsOf(client, 'sum');
    assert.equal(pods.length, 3, 'not one pod too many');
    const [log] = await Array.fromAsync(node.readLog({ uid: pods[0]?.metadata.uid ?? '', container: 'main' }));
    assert.equal(Buffer.from(log ?? '').toString(), 'done\n');
  });

  test('fails when its pods failed too often', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    await client.create(within(refs.jobs), jobOf('bad', shell('exit 1'), { backoffLimit: 2 }));
    const { status } = await untilFinished(client, 'bad');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded');
    assert.equal(status?.failed, 3);
    assert.equal((await podsOf(client, 'bad')).length, 3);
  });

  test('fails by restarts of its container too', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const template = { spec: { restartPolicy: 'OnFailure', containers: [shell('exit 1')] } };
    await client.create(within(refs.jobs), jobOf('again', shell(''), { backoffLimit: 2, template }));
    const { status } = await untilFinished(client, 'again');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded');
    await eventually(async () => (await podsOf(client, 'again')).length === 0);
  });

  test('fails when it takes too long, and goes when its time has come', async () => {
    await using cluster = await startTestCluster();
    const { client, node } = cluster;
    const limits = { activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 1 };
    await client.create(within(refs.jobs), jobOf('long', shell('exec sleep 600'), limits));
    const { status } = await untilFinished(client, 'long');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'DeadlineExceeded');
    await untilGone(client, refs.jobs, 'long');
    await eventually(() => node.list().length === 0);
  });

  test('waits while it is suspended, and starts again after that', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const suspend = (value: boolean) =>
      client.patch(at(refs.jobs, 'late'), { type: 'merge', body: { spec: { suspend: value } } });
    await client.create(within(refs.jobs), jobOf('late', shell('sleep 0.2'), { suspend: true }));
    await untilObject<Job>(client, refs.jobs, 'late', ({ status }) => isTrue(status?.conditions, 'Suspended'));
    assert.equal((await podsOf(client, 'late')).length, 0);
    await suspend(false);
    const { status } = await untilFinished(client, 'late');
    assert.equal(findCondition(status?.conditions, 'Suspended')?.status, 'False');
    assert.equal(status?.succeeded, 1);
  });

  test('numbers its pods when it is indexed', async () => {
    await using cluster = await startTestCluster();
    const { client, node } = cluster;
    const indexed = { completions: 3, parallelism: 3, completionMode: 'Indexed' };
    await client.create(within(refs.jobs), jobOf('parts', shell('echo "part $JOB_COMPLETION_INDEX"'), indexed));
    const { status } = await untilFinished(client, 'parts');
    assert.equal(status?.completedIndexes, '0-2');
    const logs = (await podsOf(client, 'parts')).map(async ({ metadata }) =>
      Buffer.concat(await Array.fromAsync(node.readLog({ uid: metadata.uid ?? '', container: 'main' }))).toString(),
    );
    assert.deepEqual((await Promise.all(logs)).sort(), ['part 0\n', 'part 1\n', 'part 2\n']);
  });
});
