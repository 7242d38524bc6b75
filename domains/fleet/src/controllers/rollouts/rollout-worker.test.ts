import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { forceStatus, report } from '../../actions/test-instances.ts';
import { createRow, updateRow } from '../../registry/fleet-registry.ts';
import { startTestFleet, type TestFleet } from '../../test-fleet.ts';
import { reportVersions, startTestAgent, worldSections } from '../test-workers.ts';
import { startRolloutWorker } from './rollout-worker.ts';

const old = { product: '1.0.0', operator: 'op.v1.0.0-0' };

/** A fleet with instances that run version 1.0.0; 2.0.0 is offered. */
async function startFleet(count: number): Promise<TestFleet> {
  const fleet = await startTestFleet();
  const [cluster] = [
    {
      name: 'frankfurt-1',
      cluster_id: 'frankfurt-1',
      cloud_provider: 'aws',
      region: 'eu-central-1',
      multi_az: true,
      schedulable: true,
      dinosaur_instance_limit: -1,
      status: 'ready',
      provider_type: 'standalone',
      cluster_dns: 'apps.frankfurt-1.example.com',
      supported_instance_type: 'standard,eval',
    },
  ];
  await fleet.configure({ ...worldSections, clusters: [cluster] });
  await reportVersions(fleet);
  for (let i = 0; i < count; i++) {
    const { id } = await fleet.create(`rex-${i}`);
    await forceStatus(fleet, id, {
      state: 'ready',
      host: `${id}.example.com`,
      routesCreated: true,
      agentReady: true,
      desired: old,
      actual: old,
    });
  }
  return fleet;
}

const start = ({ deps }: TestFleet, spec: object = {}) =>
  deps.registry.commit([
    createRow({
      table: 'rollouts',
      id: 'r',
      tenant: '',
      spec: { product: 'dinosaurs', productVersion: '2.0.0', ...spec },
    }),
  ]);
const rollout = ({ deps }: TestFleet) => deps.registry.rollouts.get('r') ?? assert.fail();
const untilPhase = (fleet: TestFleet, phase: string) =>
  eventually(() => rollout(fleet).status.rolloutPhase === phase && rollout(fleet), { what: phase });
const versions = ({ deps }: TestFleet) => {
  const counts: Record<string, number> = {};
  for (const { status } of deps.registry.instances.all())
    counts[status.actual?.product ?? ''] = (counts[status.actual?.product ?? ''] ?? 0) + 1;
  return counts;
};
const desiredNew = ({ deps }: TestFleet) =>
  [...deps.registry.instances.all()].filter(({ status }) => status.desired?.product === '2.0.0').length;
/** An agent on whose cluster 2.0.0 does not run. */
const broken = (fleet: TestFleet) =>
  startTestAgent(fleet, {
    behave: ({ status }) => {
      if (status.desired?.product === '2.0.0')
        return status.state === 'failed' ? undefined : report('False', 'Error', { message: 'crashes' });
      return status.state === 'failed' ? report('True', '', { versions: old }) : undefined;
    },
  });

test('a rollout moves all instances, although its worker is stopped in between', async () => {
  await using fleet = await startFleet(30);
  using _agent = startTestAgent(fleet);
  await start(fleet);
  for (const upgraded of [1, 4]) {
    await using _ = startRolloutWorker(fleet.deps);
    await eventually(() => (rollout(fleet).status.upgraded ?? 0) >= upgraded);
  }
  await using _ = startRolloutWorker(fleet.deps);
  const { status } = await untilPhase(fleet, 'Succeeded');
  assert.deepEqual([status.total, status.upgraded, status.failed, status.phase], [30, 30, 0, 'Succeeded']);
  assert.deepEqual(versions(fleet), { '2.0.0': 30 });
});

test('a rollout over 100 instances with a broken version stops after the canary, and an abort brings it back', async () => {
  await using fleet = await startFleet(100);
  using _agent = broken(fleet);
  await using _ = startRolloutWorker(fleet.deps);
  await start(fleet, { waves: [{ count: 1 }, { percent: 10 }] });
  const paused = await untilPhase(fleet, 'Paused');
  assert.deepEqual([paused.status.failed, paused.spec.paused, desiredNew(fleet)], [1, true, 1]);
  assert.match(paused.status.message ?? '', /crashes/);
  await fleet.deps.registry.commit([
    updateRow({ table: 'rollouts', row: paused, spec: { ...paused.spec, aborted: true } }),
  ]);
  await untilPhase(fleet, 'Aborted');
  assert.equal(desiredNew(fleet), 0);
  assert.ok(
    [...fleet.deps.registry.instances.all()].every(
      ({ status }) => status.state === 'ready' && status.failedReason === undefined,
    ),
  );
});

test('a version that no cluster offers touches nothing', async () => {
  await using fleet = await startFleet(3);
  await using _ = startRolloutWorker(fleet.deps);
  await start(fleet, { productVersion: '9.0.0' });
  const { status } = await untilPhase(fleet, 'Paused');
  assert.match(status.message ?? '', /version 9\.0\.0 is not offered/);
  const desired = [...fleet.deps.registry.instances.all()].map(({ status: found }) => found.desired?.product);
  assert.deepEqual(desired, ['1.0.0', '1.0.0', '1.0.0']);
});
