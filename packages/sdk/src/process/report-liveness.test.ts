import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { serviceProviders } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { startLandscape, type TestLandscape } from '../test-landscape.ts';
import { announceLiveness, reportLiveness } from './report-liveness.ts';

const leases = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespace: systemNamespace };

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly renewTime?: string };
}

async function createProvider({ platform }: TestLandscape, reason: string): Promise<void> {
  await platform.create(serviceProviders.ref, serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never));
  const lastTransitionTime = '2030-01-01T00:00:00Z';
  const conditions = [{ type: 'Initialized', status: 'True', reason, message: '', lastTransitionTime }];
  const at = { ...serviceProviders.ref, name: 'foo', subresource: 'status' };
  await platform.patch(at, { type: 'merge', body: { status: { conditions } } });
}

describe('A provider outside of the landscape', () => {
  it('reports while it runs, and that it has stopped', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    const { platform } = landscape;
    await createProvider(landscape, 'NoNode');
    const lease = (): Promise<Lease> => platform.get<Lease>({ ...leases, name: 'foo-liveness' });
    await announceLiveness({ provider: 'foo', platform });
    assert.equal((await lease()).spec.holderIdentity, '');
    const options = { provider: 'foo', platform, identity: 'host-1', logger: silentLogger, intervalMs: 20 };
    const report = reportLiveness(options);
    const first = await eventually(async () => {
      const { spec } = await lease();
      return spec.holderIdentity === 'host-1' && spec.renewTime;
    });
    await eventually(async () => (await lease()).spec.renewTime !== first);
    await report[Symbol.asyncDispose]();
    assert.equal((await lease()).spec.holderIdentity, '');
  });

  it('writes nothing where the landscape runs it', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await createProvider(landscape, 'InitCompleted');
    const { platform } = landscape;
    await announceLiveness({ provider: 'foo', platform });
    await using _ = reportLiveness({
      provider: 'foo',
      platform,
      identity: 'host-1',
      logger: silentLogger,
      intervalMs: 5,
    });
    const read = async (): Promise<void> => void (await platform.get({ ...serviceProviders.ref, name: 'foo' }));
    for (let count = 0; count < 5; count++) await read();
    assert.deepEqual((await platform.list(leases)).items, []);
  });
});
