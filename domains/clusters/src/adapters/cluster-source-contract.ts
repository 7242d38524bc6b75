import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { Cluster } from '../kinds/cluster.ts';
import { clusterNames } from '../kinds/names.ts';
import type { ClusterSource } from '../ports.ts';

/** A source and a cluster that it can create. */
export interface SourceUnderTest extends AsyncDisposable {
  readonly source: ClusterSource;
  readonly cluster: Cluster;
}

const defaultNamespace = { group: '', version: 'v1', plural: 'namespaces', name: 'default' };
const { signal } = new AbortController();

/** The contract of all cluster sources. */
export function clusterSourceContract(name: string, setUp: () => Promise<SourceUnderTest>): void {
  const untilReady = ({ source, cluster }: SourceUnderTest) =>
    eventually(
      async () => {
        const state = await source.ensure(cluster, signal);
        return state.isReady && state;
      },
      { what: `the cluster of ${name}` },
    );

  describe(`Clusters from ${name}`, () => {
    it('get ready, and say where they are', async () => {
      await using test = await setUp();
      const state = await untilReady(test);
      const { server } = await test.source.address(test.cluster);
      assert.deepEqual(state.endpoints, [
        { name: clusterNames.externalEndpoint, url: server },
        { name: clusterNames.internalEndpoint, url: server },
      ]);
      assert.match(state.version ?? '', /^\d+\.\d+/);
    });

    it('stay as they are when asked for again', async () => {
      await using test = await setUp();
      const first = await untilReady(test);
      assert.deepEqual(await test.source.ensure(test.cluster, signal), first);
    });

    it('are reached by one client for all', async () => {
      await using test = await setUp();
      await untilReady(test);
      const client = await test.source.connect(test.cluster);
      assert.equal((await client.get(defaultNamespace)).metadata.name, 'default');
      assert.equal(await test.source.connect(test.cluster), client);
    });

    it('notify of changes', async () => {
      await using test = await setUp();
      const told = new Set<string>();
      const unlisten = test.source.onChange(key => told.add(key));
      await untilReady(test);
      assert.ok(told.has(`${test.cluster.metadata.namespace}/${test.cluster.metadata.name}`));
      unlisten();
    });

    it('can be removed, also twice, and made again', async () => {
      await using test = await setUp();
      await untilReady(test);
      const remove = (): Promise<true> => eventually(() => test.source.remove(test.cluster, signal));
      await remove();
      await remove();
      await untilReady(test);
    });

    it('can be removed before they were ready', async () => {
      await using test = await setUp();
      await eventually(() => test.source.remove(test.cluster, signal));
    });
  });
}
