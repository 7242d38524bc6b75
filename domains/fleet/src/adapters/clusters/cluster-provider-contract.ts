import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { ClusterProvider, ProvidedCluster } from '../../ports.ts';

/** A provider to try. */
export interface OpenedClusterProvider extends AsyncDisposable {
  readonly provider: ClusterProvider;
}

const cluster: ProvidedCluster = {
  name: 'dinosaurs.contract-1',
  product: 'dinosaurs',
  clusterId: 'contract-1',
  cloudProvider: 'local',
  region: 'local',
  multiAz: false,
};

/** What every provider of clusters does. `makes`: its clusters do not exist before. */
export function describeClusterProviderContract(
  name: string,
  open: () => Promise<OpenedClusterProvider>,
  { makes }: { readonly makes: boolean },
): void {
  describe(`a provider of clusters: ${name}`, () => {
    test('makes a cluster once, however often it is asked, and removes it', async () => {
      await using opened = await open();
      const { provider } = opened;
      for (let i = 0; i < 2; i++) await provider.create(cluster);
      await eventually(async () => (await provider.status(cluster)).type === 'ready');
      if (makes) await eventually(async () => (await provider.kubeconfig(cluster)) !== undefined);
      await eventually(async () => await provider.delete(cluster));
      assert.equal(await provider.delete(cluster), true, 'what is gone stays gone');
    });

    test('a cluster that nobody asked for is gone already', async () => {
      await using opened = await open();
      assert.equal(await opened.provider.delete({ ...cluster, name: 'dinosaurs.other', clusterId: 'other' }), true);
    });
  });
}
