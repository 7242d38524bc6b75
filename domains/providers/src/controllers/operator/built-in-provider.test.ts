import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Client } from '@chandlery/client';
import { clusterProfiles, clusters } from '@chandlery/clusters/kinds';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { clusterProviders, type Provider } from '../../kinds/index.ts';
import { isGone, leftovers, startTestOperator } from './test-operator.ts';

const builtIn = { ...clusterProviders.ref, name: 'chandlery' };
const profile = clusterProfiles.object(
  { name: 'logical' },
  { providerRef: { name: 'chandlery' }, providerConfigRef: { name: 'default' }, supportedVersions: [] },
);
const cluster = clusters.object(
  { name: 'mine', namespace: 'default' },
  { profile: 'logical', purposes: ['test'], tenancy: 'Exclusive' },
);
const clusterAt = { ...clusters.ref, namespace: 'default', name: 'mine' };

async function waitForReady(platform: Client, reason: string): Promise<Provider> {
  return eventually(async () => {
    const provider = await platform.get<Provider>(builtIn);
    return findCondition(provider, 'Ready')?.reason === reason && provider;
  });
}

it('The built-in cluster provider is there from the beginning, and ready while there is a profile', async () => {
  await using fixture = await startTestOperator();
  const { platform } = fixture;
  const provider = await waitForReady(platform, 'ProviderNotReady');
  assert.equal(provider.spec.image, 'chandlery/built-in');
  await platform.create(clusterProfiles.ref, profile);
  assert.equal((await waitForReady(platform, 'ProviderReady')).status?.phase, 'Ready');
  assert.deepEqual(await leftovers(fixture), [], 'nothing is deployed for it');
  await platform.delete({ ...clusterProfiles.ref, name: 'logical' });
  await waitForReady(platform, 'ProviderNotReady');
});

it('The built-in cluster provider stays while it has clusters, and comes back with the next operator', async () => {
  await using fixture = await startTestOperator();
  const { platform } = fixture;
  await platform.create(clusterProfiles.ref, profile);
  await platform.create(clusterAt, cluster);
  await waitForReady(platform, 'ProviderReady');
  await platform.delete(builtIn);
  await eventually(async () => {
    const { message = '' } = findCondition(await platform.get(builtIn), 'Uninstalled') ?? {};
    return message.includes('1 Cluster (default/mine)');
  });
  await platform.delete(clusterAt);
  await eventually(() => isGone(platform, builtIn));
  await fixture.restart();
  await waitForReady(platform, 'ProviderReady');
});
