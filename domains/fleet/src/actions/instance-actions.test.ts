import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { FleetErrorCode } from '../errors.ts';
import type { InstanceStatus } from '../model/instance-events.ts';
import { rejectsFleetError } from '../test-errors.ts';
import { startTestFleet, type TestFleet } from '../test-fleet.ts';
import type { AdminPatchRequest, InstanceReport } from './fleet-actions.ts';
import { createLifecycleActions, type LifecycleActions } from './lifecycle-actions.ts';
import { closedWorld, clusterOf, forceStatus, instanceOf, report } from './test-instances.ts';

let fleet: TestFleet;
let actions: LifecycleActions;
before(async () => {
  fleet = await startTestFleet();
  await fleet.configure({
    ...closedWorld,
    registered_users_per_organisation: [
      { id: '13640203', any_user: true, max_allowed_instances: 100, registered_users: [] },
    ],
  });
  actions = createLifecycleActions(fleet.deps);
  const operatorVersions = [
    { version: 'op.v1.0.0-0', ready: true, productVersions: ['1.0.0', '1.1.0'] },
    { version: 'op.v2.0.0-0', ready: true, productVersions: ['1.1.0', '2.0.0'] },
  ];
  const ready = { type: 'Ready', status: 'True', reason: '', message: '' };
  const cluster = clusterOf(fleet.deps, 'frankfurt-1');
  await actions.reportCluster(fleet.product(), cluster, { conditions: [ready], operatorVersions, capacity: undefined });
});
after(() => fleet[Symbol.asyncDispose]());

let count = 0;
const running: InstanceStatus = {
  state: 'ready',
  host: 'h.kas.frankfurt-1.example.com',
  routesCreated: true,
  agentReady: true,
  desired: { product: '1.1.0', operator: 'op.v1.0.0-0' },
  actual: { product: '1.1.0', operator: 'op.v1.0.0-0' },
};
/** Orders an instance and puts it into a state. */
async function seed(status: InstanceStatus = running) {
  const { id } = await fleet.create(`a${count++}`);
  return forceStatus(fleet, id, { ...status, ...(status.host && { host: `${id}.example.com` }) });
}
const state = (id: string) => instanceOf(fleet.deps, id).status.state;
const send = (id: string, sent: InstanceReport) =>
  actions.reportInstances(fleet.product(), clusterOf(fleet.deps, 'frankfurt-1'), new Map([[id, sent]]));
const caller = (username: string, organisation = '13640203', isOrganisationAdmin = false) => ({
  username,
  organisation,
  isOrganisationAdmin,
  accountId: undefined,
});

describe('delete', () => {
  test('is for the owner and administrators of the organisation, and may be repeated', async () => {
    const { id } = await seed();
    await rejectsFleetError(actions.delete(fleet.product(), caller('zoe', 'other'), id), 7, 'a namesake elsewhere');
    await rejectsFleetError(actions.delete(fleet.product(), caller('yan'), id), 11, 'a colleague');
    await rejectsFleetError(actions.delete(fleet.product(), caller('zoe'), 'nothing'), 7);
    assert.equal(state(id), 'ready');
    await actions.delete(fleet.product(), caller('boss', '13640203', true), id);
    const { revision } = instanceOf(fleet.deps, id);
    await actions.delete(fleet.product(), caller('zoe'), id);
    await actions.adminDelete(fleet.product(), id);
    assert.deepEqual([state(id), instanceOf(fleet.deps, id).revision], ['deprovision', revision]);
  });

  test('wins over a report that comes at the same time, and nothing revives it', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => (await seed({ ...running, state: 'provisioning' })).id),
    );
    await Promise.all(
      ids.flatMap(id => [
        send(id, report('True')),
        actions.delete(fleet.product(), caller('zoe'), id),
        send(id, report('False', 'Error')),
      ]),
    );
    await Promise.all(ids.map(id => send(id, report('True'))));
    assert.deepEqual(
      ids.map(state),
      ids.map(() => 'deprovision'),
    );
  });

  test('wins over an admin PATCH that comes at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await seed()).id));
    const suspend = (id: string) =>
      actions
        .adminPatch(fleet.product(), id, { productVersion: undefined, operatorVersion: undefined, suspended: true })
        .catch(() => undefined);
    await Promise.all(ids.flatMap(id => [suspend(id), actions.adminDelete(fleet.product(), id), suspend(id)]));
    assert.deepEqual(
      ids.map(state),
      ids.map(() => 'deprovision'),
    );
  });
});

const nothing: AdminPatchRequest = { productVersion: undefined, operatorVersion: undefined, suspended: undefined };
const rejected: readonly {
  why: string;
  status?: InstanceStatus;
  patch: Partial<AdminPatchRequest>;
  code: FleetErrorCode;
}[] = [
  { why: 'nothing given', patch: {}, code: 37 },
  { why: 'blank fields', patch: { productVersion: ' ' }, code: 37 },
  { why: 'accepted', status: { state: 'accepted' }, patch: { productVersion: '1.0.0' }, code: 8 },
  { why: 'deleting', status: { state: 'deleting' }, patch: { productVersion: '1.0.0' }, code: 8 },
  { why: 'an unknown operator version', patch: { operatorVersion: 'op.v9.0.0-0' }, code: 8 },
  { why: 'a version that the operator does not have', patch: { productVersion: '2.0.0' }, code: 8 },
  { why: 'a downgrade', patch: { productVersion: '1.0.0' }, code: 8 },
  {
    why: 'an upgrade in progress',
    status: { upgrading: { product: true } },
    patch: { productVersion: '2.0.0', operatorVersion: 'op.v2.0.0-0' },
    code: 8,
  },
  { why: 'suspend what is not ready', status: { state: 'provisioning' }, patch: { suspended: true }, code: 8 },
  { why: 'resume what is not suspended', patch: { suspended: false }, code: 8 },
  {
    why: 'resume without quota',
    status: { state: 'suspended', expiresAt: '2999-01-01T00:00:00Z' },
    patch: { suspended: false },
    code: 8,
  },
];

describe('admin PATCH', () => {
  for (const { why, status, patch, code } of rejected)
    test(`is rejected with ${code}: ${why}`, async () => {
      const { id, revision } = await seed({ ...running, ...status });
      await rejectsFleetError(actions.adminPatch(fleet.product(), id, { ...nothing, ...patch }), code, why);
      assert.equal(instanceOf(fleet.deps, id).revision, revision);
    });

  test('changes versions, suspends and resumes', async () => {
    const { id } = await seed();
    const patch = { productVersion: '2.0.0', operatorVersion: 'op.v2.0.0-0', suspended: true };
    const suspending = await actions.adminPatch(fleet.product(), id, patch);
    assert.deepEqual(
      [suspending.status.state, suspending.status.desired],
      ['suspending', { product: '2.0.0', operator: 'op.v2.0.0-0' }],
    );
    await send(id, report('True'));
    assert.equal(state(id), 'suspending', 'ready is ignored');
    await send(id, report('False', 'Suspended'));
    assert.equal(state(id), 'suspended');
    await actions.adminPatch(fleet.product(), id, { ...nothing, suspended: false });
    assert.equal(state(id), 'resuming');
    await send(id, report('True'));
    assert.equal(state(id), 'ready');
  });
});

describe('a report of an instance', () => {
  const provisioning: InstanceStatus = {
    state: 'provisioning',
    host: 'h.example.com',
    placementId: 'p',
    routesCreated: true,
  };

  test('makes it ready, and the same report again writes nothing', async () => {
    const { id } = await seed(provisioning);
    const sent = report('True', 'DinosaurUpdating', {
      versions: { product: '1.1.0', operator: 'op.v1.0.0-0' },
      routes: [{ name: 'x', prefix: 'admin', router: 'r.apps.frankfurt-1.example.com' }],
      adminUrl: 'https://admin',
    });
    await send(id, sent);
    const { status, revision } = instanceOf(fleet.deps, id);
    assert.deepEqual(
      [status.state, status.actual, status.upgrading, status.adminUrl, status.routes],
      [
        'ready',
        { product: '1.1.0', operator: 'op.v1.0.0-0' },
        { product: true, operator: false },
        'https://admin',
        [{ domain: `admin-${id}.example.com`, router: 'r.apps.frankfurt-1.example.com' }],
      ],
    );
    assert.deepEqual(
      status.conditions?.map(({ type, status: value }) => [type, value]),
      [['Ready', 'True']],
    );
    await send(id, sent);
    assert.equal(instanceOf(fleet.deps, id).revision, revision);
  });

  const withRouter = (router: string) => ({ routes: [{ name: 'x', prefix: '', router }] });

  test('with a router outside the domain of the cluster says so in the condition, until the router is inside', async () => {
    const { id } = await seed(provisioning);
    const ready = () => instanceOf(fleet.deps, id).status.conditions?.find(({ type }) => type === 'Ready');
    await send(id, report('True', '', withRouter('evil.com')));
    assert.deepEqual([state(id), ready()?.reason], ['provisioning', 'RoutesRejected']);
    assert.match(ready()?.message ?? '', /router evil\.com, which is not in the domain frankfurt-1\.example\.com/);
    const { revision } = instanceOf(fleet.deps, id);
    await send(id, report('True', '', withRouter('evil.com')));
    assert.equal(instanceOf(fleet.deps, id).revision, revision, 'the same report writes nothing');
    await send(id, report('True', '', withRouter('r.apps.frankfurt-1.example.com')));
    assert.deepEqual([state(id), ready()?.status], ['ready', 'True']);
    assert.equal(instanceOf(fleet.deps, id).status.routesProblem, undefined);
  });

  test('that is an error or Deleted counts, whatever its routers are', async () => {
    const [failing, leaving] = [await seed(provisioning), await seed({ ...provisioning, state: 'deprovision' })];
    await send(failing.id, report('False', 'Error', withRouter('evil.com')));
    await send(leaving.id, report('False', 'Deleted', withRouter('evil.com')));
    assert.deepEqual([state(failing.id), state(leaving.id)], ['failed', 'deleting']);
  });

  test('with a router outside the domain of the cluster is skipped, and others are not', async () => {
    const [bad, good] = [await seed(provisioning), await seed(provisioning)];
    const stray = report('True', '', { routes: [{ name: 'x', prefix: '', router: 'evil.com' }] });
    const reports = new Map([
      [bad.id, stray],
      ['unknown', report('True')],
      [good.id, report('True')],
    ]);
    await actions.reportInstances(fleet.product(), clusterOf(fleet.deps, 'frankfurt-1'), reports);
    assert.deepEqual([state(bad.id), state(good.id)], ['provisioning', 'ready']);
  });

  test('from another cluster is skipped', async () => {
    const { id } = await seed({ ...provisioning, clusterId: 'elsewhere' });
    await send(id, report('True'));
    assert.equal(state(id), 'provisioning');
  });

  test('that the cluster is full frees its units and excludes it', async () => {
    const { id } = await seed(provisioning);
    const used = () => fleet.deps.registry.ledger.used('cluster/dinosaurs/frankfurt-1');
    const occupied = used();
    await send(id, report('False', 'Rejected', { message: 'Cluster has insufficient resources' }));
    const { status } = instanceOf(fleet.deps, id);
    assert.deepEqual(
      [status.state, status.clusterId, status.placementId, status.excludedClusters],
      ['provisioning', undefined, undefined, ['frankfurt-1']],
    );
    assert.deepEqual([used(), status.holds?.some(hold => hold.startsWith('cluster/'))], [occupied - 1, false]);
  });

  test('Rejected gets another placement id, a stray Deleted changes nothing', async () => {
    const { id } = await seed(provisioning);
    await send(id, report('False', 'Rejected', { message: 'later' }));
    assert.notEqual(instanceOf(fleet.deps, id).status.placementId, 'p');
    await send(id, report('False', 'Deleted'));
    assert.equal(state(id), 'provisioning');
    await actions.adminDelete(fleet.product(), id);
    await send(id, report('False', 'Deleted'));
    assert.equal(state(id), 'deleting');
  });
});

describe('a report of a cluster', () => {
  const condition = (status: string) => [{ type: 'Ready', status, reason: '', message: '' }];
  const versions = (version: string) => [{ version, ready: true, productVersions: ['1.1.0'] }];

  test('moves it between ready and waiting; only Ready brings versions; the same again writes nothing', async () => {
    const cluster = clusterOf(fleet.deps, 'frankfurt-1');
    const tell = (status: string, version: string) =>
      actions.reportCluster(fleet.product(), cluster, {
        conditions: condition(status),
        operatorVersions: versions(version),
        capacity: undefined,
      });
    const present = () => {
      const { status } = clusterOf(fleet.deps, 'frankfurt-1');
      return [status.state, status.operatorVersions?.at(-1)?.version];
    };
    await tell('False', 'op.v8.0.0-0');
    assert.deepEqual(present(), ['waiting_for_fleetshard_operator', 'op.v2.0.0-0']);
    await tell('True', 'op.v9.0.0-0');
    assert.deepEqual(present(), ['ready', 'op.v9.0.0-0']);
    const { revision } = clusterOf(fleet.deps, 'frankfurt-1');
    await tell('True', 'op.v9.0.0-0');
    assert.equal(clusterOf(fleet.deps, 'frankfurt-1').revision, revision);
  });

  test('that is not Ready is kept with its message until it is Ready', async () => {
    const tell = (status: string, message: string) =>
      actions.reportCluster(fleet.product(), clusterOf(fleet.deps, 'frankfurt-1'), {
        conditions: [{ type: 'Ready', status, reason: 'NoProgram', message }],
        operatorVersions: [],
        capacity: undefined,
      });
    const kept = () => clusterOf(fleet.deps, 'frankfurt-1').status.agentMessage;
    await tell('False', 'the product has no program');
    assert.equal(kept(), 'the product has no program');
    await tell('Unknown', '');
    assert.equal(kept(), 'the product has no program');
    await tell('False', '');
    assert.equal(kept(), 'NoProgram');
    await tell('True', 'all is well');
    assert.equal(kept(), undefined);
  });
});

test('the contact of an agent is written once in a while', async () => {
  const cluster = clusterOf(fleet.deps, 'frankfurt-1');
  const { updateRow } = await import('../registry/fleet-registry.ts');
  const silent = { ...cluster.status, lastSeenAt: '2020-01-01T00:00:00Z', isAgentSilent: true };
  await fleet.deps.registry.commit([updateRow({ table: 'clusters', row: cluster, status: silent })]);
  actions.agentSeen(fleet.product(), cluster);
  await eventually(() => clusterOf(fleet.deps, 'frankfurt-1').status.isAgentSilent === undefined);
  const { revision } = clusterOf(fleet.deps, 'frankfurt-1');
  for (let i = 0; i < 3; i++) actions.agentSeen(fleet.product(), cluster);
  await new Promise(resolve => setTimeout(resolve, 50));
  assert.equal(clusterOf(fleet.deps, 'frankfurt-1').revision, revision);
});
