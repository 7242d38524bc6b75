import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import type { ClusterSource } from '../../ports.ts';
import { clusterSourceContract } from '../cluster-source-contract.ts';
import { logicalClusters } from '../logical/logical-cluster.ts';
import { someCluster, startTestLogical, type TestLogical } from '../test-logical.ts';
import { createLocalSource, type RunningWorkloads } from './local-source.ts';

const { signal } = new AbortController();

/** Records what happens to workloads. */
class Diary {
  readonly entries: string[] = [];

  readonly run = (name: string, _client: Client): RunningWorkloads => {
    this.entries.push(`run ${name}`);
    return {
      purge: async () => void this.entries.push(`purge ${name}`),
      [Symbol.asyncDispose]: async () => void this.entries.push(`stop ${name}`),
    };
  };
}

interface TestLocal extends TestLogical {
  readonly local: ClusterSource;
  readonly diary: Diary;
}

async function startTestLocal(): Promise<TestLocal> {
  await using stack = new AsyncDisposableStack();
  const logical = stack.use(await startTestLogical());
  const diary = new Diary();
  const connectLogical = (name: string): Client => logical.plane.connect(name);
  const local = stack.use(createLocalSource({ logical: logical.source, connectLogical, runWorkloads: diary.run }));
  const all = stack.move();
  return { ...logical, local, diary, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

clusterSourceContract('local', async () => {
  const test = await startTestLocal();
  return { ...test, source: test.local, cluster: someCluster('a') };
});

describe('The source of local clusters', () => {
  it('runs workloads once from when a cluster is ready until it is deleted', async () => {
    await using test = await startTestLocal();
    const cluster = someCluster('a');
    await eventually(async () => (await test.local.ensure(cluster, signal)).isReady);
    await test.local.ensure(cluster, signal);
    assert.deepEqual(test.diary.entries, ['run a']);
    assert.equal(await test.local.remove(cluster, signal), false);
    assert.deepEqual(test.diary.entries, ['run a']);
    await eventually(() => test.local.remove(cluster, signal));
    assert.deepEqual(test.diary.entries, ['run a', 'purge a', 'stop a']);
  });

  it('runs workloads of a cluster that is going, so that its pods can end', async () => {
    await using test = await startTestLocal();
    const cluster = someCluster('a');
    await eventually(async () => (await test.source.ensure(cluster, signal)).isReady);
    const client = await test.source.connect(cluster);
    const map = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'last' };
    const metadata = { name: 'last', finalizers: ['test.chandlery.io/stay'] };
    await client.create(map, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    assert.equal(await test.local.remove(cluster, signal), false);
    assert.deepEqual(test.diary.entries, ['run a']);
    await client.patch(map, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await eventually(() => test.local.remove(cluster, signal));
  });

  it('keeps what pods left on clusters that cannot go', async () => {
    await using test = await startTestLocal();
    const platform = someCluster('platform');
    await eventually(async () => (await test.local.ensure(platform, signal)).isReady);
    await test.local.remove(platform, signal);
    assert.deepEqual(test.diary.entries, ['run platform', 'stop platform']);
    assert.ok(await test.platform.get({ ...logicalClusters, name: 'platform' }));
  });

  it('stops everything when it is disposed of', async () => {
    await using test = await startTestLocal();
    await eventually(async () => (await test.local.ensure(someCluster('a'), signal)).isReady);
    await test.local[Symbol.asyncDispose]();
    assert.deepEqual(test.diary.entries, ['run a', 'stop a']);
  });

  it('says that nothing runs pods, if so', async () => {
    await using test = await startTestLogical();
    const connectLogical = (name: string): Client => test.plane.connect(name);
    await using local = createLocalSource({ logical: test.source, connectLogical });
    const state = await eventually(async () => {
      const found = await local.ensure(someCluster('a'), signal);
      return found.run?.reason === 'NoNode' && found;
    });
    assert.deepEqual([state.isReady, state.run?.status], [true, 'False']);
    assert.equal(state.endpoints.length, 2);
  });
});
