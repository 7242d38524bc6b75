import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually, startTestPlane } from '@chandlery/testing';
import { type MeshReplica, meshReplicas } from '../kinds/mesh-replica.ts';
import { acknowledgementsOf, openReplicaReport } from './replica-report.ts';

const roots = [{ fingerprint: 'old', nodeIds: ['web-1'] }];
const stateNow = () => ({ trustVersion: '1', proxies: 1, waitingFor: [], roots });

test('a replica without proxies reports only if it knows of lost machines', async () => {
  await using plane = await startTestPlane({ kinds: [meshReplicas.declaration] });
  const platform = plane.connect('platform');
  const idle = { trustVersion: '1', proxies: 0, waitingFor: [], roots: [] };
  const common = { platform, logger: silentLogger };
  await using _idle = openReplicaReport({ ...common, replica: 'idle', stateNow: () => idle });
  const lostMachines = ['shop|eu|shop/books id=vm-1'];
  await using _knowing = openReplicaReport({
    ...{ ...common, replica: 'knowing' },
    stateNow: () => ({ ...idle, lostMachines }),
  });
  const reports = await eventually(async () => {
    const { items } = await platform.list<MeshReplica>(meshReplicas.ref);
    return items.length > 0 && items;
  });
  assert.deepEqual(
    reports.map(({ metadata, spec }) => [metadata.name, spec.lostMachines]),
    [['knowing', lostMachines]],
  );
});

test('an unchanged report is renewed: otherwise it would expire, and a rotation would ignore its proxies', async () => {
  await using plane = await startTestPlane({ kinds: [meshReplicas.declaration] });
  const platform = plane.connect('platform');
  await using _ = openReplicaReport({
    ...{ platform, replica: 'one', stateNow, logger: silentLogger },
    renewEveryMs: 10,
  });
  const read = async () =>
    (await platform.list<MeshReplica>(meshReplicas.ref)).items.find(({ metadata }) => metadata.name === 'one');
  const first = await eventually(read);
  // Only a write with a difference extends the time to live.
  const later = await eventually(async () => {
    const now = await read();
    return now?.metadata.resourceVersion === first.metadata.resourceVersion ? undefined : now;
  });
  assert.equal(later.metadata.uid, first.metadata.uid);
  assert.deepEqual(await acknowledgementsOf(platform).listCertifiedBy('old'), ['web-1']);
});
