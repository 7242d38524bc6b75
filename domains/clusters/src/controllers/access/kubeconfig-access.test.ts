import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { installKinds, SharedInformers } from '@chandlery/runtime';
import { eventually, kubectl, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type AccessRequest, accessRequests, clusterProfiles, clusterRequests, clusters } from '../../kinds/index.ts';
import type { AccessSource } from './source-listeners.ts';
import { startAccess } from './start-access.ts';

const provider = 'test-provider';
const home = { namespace: 'default' };
const requestRef = { ...accessRequests.ref, ...home, name: 'mine' };
const secretRef = { group: '', version: 'v1', plural: 'secrets', ...home, name: 'mine.kubeconfig' };

function openCluster(landscape: TestLandscape, context: string): Client {
  return createClient(loadKubeconfig(landscape.kubeconfig, { context }));
}

async function createAlpha(platform: Client): Promise<void> {
  const kinds = [accessRequests, clusters, clusterRequests, clusterProfiles].map(({ crd }) => crd);
  await installKinds(platform, kinds, { fieldManager: 'test' });
  const profile = { providerRef: { name: provider }, providerConfigRef: { name: 'x' }, supportedVersions: [] };
  await platform.create(clusterProfiles.ref, clusterProfiles.object({ name: 'test-profile' }, profile));
  const spec = { profile: 'test-profile', purposes: ['mcp'], tenancy: 'Exclusive' as const };
  await platform.create({ ...clusters.ref, ...home }, clusters.object({ name: 'alpha', ...home }, spec));
  const status = { ...clusters.ref, ...home, name: 'alpha', subresource: 'status' };
  await platform.patch(status, { type: 'merge', body: { status: { phase: 'Ready' } } });
}

describe('a kubeconfig that was given', () => {
  test('works with kubectl as far as its rights go, and no longer than its request', async () => {
    await using landscape = await startTestLandscape();
    const { url } = await landscape.createCluster('alpha');
    await using platform = openCluster(landscape, 'platform');
    await using alpha = createClient({ ...loadKubeconfig(landscape.kubeconfig, { context: 'platform' }), server: url });
    await createAlpha(platform);
    const source: AccessSource = {
      connect: async () => alpha,
      address: async () => ({ server: url, caPem: landscape.ca }),
      onChange: () => () => undefined,
    };
    await using informers = new SharedInformers();
    await using _access = startAccess({
      platform,
      informers,
      sourceOf: () => source,
      provider,
      environment: 'test',
      logger: silentLogger,
    });
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
    const token = { permissions: [{ rules }, { namespace: 'work', rules }] };
    const spec = { clusterRef: { name: 'alpha', ...home }, token };
    await platform.create({ ...accessRequests.ref, ...home }, accessRequests.object({ name: 'mine', ...home }, spec));
    await eventually(async () => (await platform.get<AccessRequest>(requestRef)).status?.phase === 'Granted');

    await using folder = await tempFolder();
    const kubeconfig = folder.join('kubeconfig');
    const { data } = await platform.get(secretRef);
    await writeFile(kubeconfig, Buffer.from((data as Record<string, string>)['kubeconfig'] ?? '', 'base64'));
    const may = async (...args: string[]): Promise<string> =>
      (await kubectl(['auth', 'can-i', ...args], { kubeconfig })).stdout.trim();
    assert.equal(await may('list', 'pods', '--all-namespaces'), 'yes');
    assert.equal(await may('create', 'pods', '--namespace=work'), 'no');
    assert.equal(await may('list', 'secrets', '--all-namespaces'), 'no');

    await platform.delete(requestRef);
    await eventually(async () => {
      const { stderr } = await kubectl(['get', 'pods'], { kubeconfig });
      return stderr.includes('Unauthorized') || stderr.includes('must be logged in');
    });
  });
});
