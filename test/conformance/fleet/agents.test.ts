import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { FleetBody } from '../../../domains/fleet/src/facade/test-body.ts';
import { assertError, base, collection, setStage } from './support/stage.ts';
import type { Json } from './support/stage-document.ts';

const cluster = `${base}/agent-clusters/one`;
const operator = (entry: unknown): Json => ({ dinosaurOperator: [entry] });
const ready = (status: string, reason = '', message = ''): Json => ({
  conditions: [{ type: 'Ready', status, reason, message }],
});

const badReports: readonly { why: string; body: unknown; code: number }[] = [
  { why: 'an empty body', body: '', code: 17 },
  { why: 'a list', body: [], code: 17 },
  { why: 'conditions that are an object', body: { conditions: {} }, code: 17 },
  { why: 'a version that is a number', body: operator({ version: 1, dinosaurVersions: ['1'] }), code: 17 },
  { why: 'no version', body: operator({ ready: true, dinosaurVersions: ['1'] }), code: 37 },
  { why: 'no product versions', body: operator({ version: '1.0.0-1', ready: true }), code: 37 },
  { why: 'an empty list', body: operator({ version: '1.0.0-1', ready: true, dinosaurVersions: [] }), code: 37 },
  { why: 'a version without a build', body: operator({ version: '1.0.0', dinosaurVersions: ['1'] }), code: 8 },
  { why: 'a word for a version', body: operator({ version: 'latest', dinosaurVersions: ['1'] }), code: 8 },
  { why: 'Ready that is neither', body: ready('Perhaps'), code: 37 },
];

/** States of an instance on a cluster, and whether its agent gets it. */
const states: readonly (readonly [string, boolean])[] = [
  ['accepted', false],
  ['provisioning', true],
  ['ready', true],
  ['failed', true],
  ['suspending', true],
  ['suspended', true],
  ['resuming', true],
  ['deprovision', true],
];

/** Reports on an instance in a state, and the state that it has then. */
const reports: readonly { from: string; report: Json; to: string; why: string }[] = [
  { from: 'provisioning', report: ready('False', 'Installing'), to: 'provisioning', why: 'it is being installed' },
  { from: 'provisioning', report: ready('Unknown'), to: 'provisioning', why: 'nothing is known' },
  { from: 'provisioning', report: ready('True'), to: 'ready', why: 'agent and DNS are ready' },
  { from: 'provisioning', report: ready('False', 'Error', 'no disk'), to: 'failed', why: 'an error' },
  { from: 'provisioning', report: ready('False', 'Deleted'), to: 'provisioning', why: 'a stray Deleted' },
  { from: 'ready', report: ready('False', 'Deleted'), to: 'ready', why: 'a stray Deleted' },
  { from: 'ready', report: ready('False', 'Error', 'no disk'), to: 'failed', why: 'an error' },
  { from: 'ready', report: ready('True', 'DinosaurUpdating'), to: 'ready', why: 'an upgrade' },
  { from: 'failed', report: ready('True'), to: 'ready', why: 'it has recovered' },
  { from: 'suspending', report: ready('False', 'Suspended'), to: 'suspended', why: 'it is suspended' },
  { from: 'ready', report: ready('False', 'Suspended'), to: 'ready', why: 'nobody asked for it' },
  { from: 'suspended', report: ready('True'), to: 'suspended', why: 'a late report' },
  { from: 'resuming', report: ready('True'), to: 'ready', why: 'it runs again' },
  { from: 'deprovision', report: ready('True'), to: 'deprovision', why: 'a late report never revives' },
];

describe('Agents', () => {
  const stage = setStage();
  let token = '';
  before(async () => {
    token = await stage.agent();
  });

  const list = (query = '') => stage.ask('GET', `${cluster}/dinosaurs${query}`, { token });
  const report = (body: unknown, of = cluster) => stage.ask('PUT', `${of}/dinosaurs/status`, { token, body });
  const read = async (id: string): Promise<FleetBody> =>
    (await stage.ask('GET', `${collection}/${id}`, { token: await stage.user() })).body;
  /** An instance on the cluster, in a state that workers would have brought it to. */
  const place = async (name: string, state: string): Promise<string> => {
    const id = await stage.order(name);
    if (state === 'accepted') return id;
    const host = `${name}.example.com`;
    const desired = { product: '1.0.0', operator: 'op.1.0.0-1' };
    const placed = { host, desired, namespace: `dinosaur-${name}`, placementId: `first-${name}`, routesCreated: true };
    await stage.setStatus(id, { ...placed, state, stateSince: new Date().toISOString() });
    return id;
  };

  test('the configuration of a cluster has the settings of observability', async () => {
    const { status, body } = await stage.ask('GET', cluster, { token });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.spec.observability).sort(), ['accessToken', 'channel', 'repository', 'tag']);
    assertError(
      await stage.ask('GET', `${base}/agent-clusters/unknown`, { token: await stage.agent('unknown') }),
      404,
      7,
    );
  });

  test('the list has the instances on this cluster that the agent should run or remove', async () => {
    const ids = new Map<string, string>();
    for (const [state] of states) ids.set(state, await place(`in-${state}`, state));
    const hostless = await stage.order('hostless');
    await stage.setStatus(hostless, { state: 'failed' });
    const elsewhere = await stage.order('elsewhere', { body: { region: 'eu-2' } });
    await stage.setStatus(elsewhere, { state: 'ready', host: 'elsewhere.example.com' });
    const { status, body, text } = await list();
    assert.deepEqual([status, body.kind], [200, 'ManagedDinosaurList'], text);
    const told = new Map(body.items.map(item => [item.id, item]));
    for (const [state, isTold] of states) assert.equal(told.has(ids.get(state) ?? ''), isTold, state);
    assert.ok(!told.has(hostless) && !told.has(elsewhere));
    for (const [state, isTold] of states)
      if (isTold) assert.equal(told.get(ids.get(state) ?? '')?.spec.deleted, state === 'deprovision', state);
    const item = told.get(ids.get('ready') ?? '');
    assert.deepEqual(item?.metadata.annotations, { 'mas/id': ids.get('ready'), 'mas/placementId': 'first-in-ready' });
    assert.deepEqual(item.spec.versions, { dinosaur: '1.0.0', dinosaurOperator: 'op.1.0.0-1' });
    assert.deepEqual([item.spec.owners, item.metadata.namespace], [['ann'], 'dinosaur-in-ready']);
    const ofTwo = await stage.ask('GET', `${base}/agent-clusters/two/dinosaurs`, { token: await stage.agent('two') });
    assert.deepEqual(
      ofTwo.body.items.map(({ id }) => id),
      [elsewhere],
    );
  });

  test('secrets are in the list and in the single instance, unless they are not wanted', async () => {
    const id = await place('secretive', 'ready');
    await stage.putSecret(id, { 'tls.crt': 'CERT', 'tls.key': 'KEY', 'client-secret': 'PASSWORD' });
    await stage.setStatus(id, { secretName: `instance-${id}`, ssoClientId: `client-${id}` });
    const whole = (await list()).body.items.find(item => item.id === id);
    assert.deepEqual(whole?.spec.endpoint, { host: 'secretive.example.com', tls: { cert: 'CERT', key: 'KEY' } });
    assert.deepEqual(whole.spec.serviceAccounts, [
      { name: 'default', principal: `client-${id}`, password: 'PASSWORD' },
    ]);
    assert.doesNotMatch((await list('?secrets=false')).text, /CERT|KEY|PASSWORD/);
    const single = await stage.ask('GET', `${cluster}/dinosaurs/${id}`, { token });
    assert.equal(single.body.spec.endpoint.tls?.key, 'KEY');
    const other = await stage.agent('two');
    assertError(await stage.ask('GET', `${base}/agent-clusters/two/dinosaurs/${id}`, { token: other }), 404, 7);
    const shown = await stage.ask('GET', `${collection}/${id}`, { token: await stage.user() });
    assert.doesNotMatch(shown.text, /CERT|KEY|PASSWORD/);
  });

  test('a poll ends with what is new, or with 304', async () => {
    const id = await place('polled', 'ready');
    const { revision } = (await list('?secrets=false')).body;
    assert.equal((await list(`?revision=${revision}`)).status, 304);
    assert.equal((await list(`?revision=${revision}&wait=0.1`)).status, 304);
    assert.equal((await list()).status, 200, 'the plain list is always whole');
    const waiting = list(`?revision=${revision}&wait=30&secrets=false`);
    await stage.setStatus(id, { desired: { product: '2.0.0' } });
    const { status, body } = await waiting;
    assert.equal(status, 200);
    assert.equal(body.items.find(item => item.id === id)?.spec.versions['dinosaur'], '2.0.0');
    for (const wait of ['x', '-1']) assertError(await list(`?revision=1&wait=${wait}`), 400, 21, wait);
  });

  test('reports of a cluster that break a rule have their codes and no effect', async () => {
    const staff = await stage.staff('read');
    const clusters = async () => (await stage.ask('GET', `${base}/admin/clusters`, { token: staff })).body.items[0];
    const before = await clusters();
    for (const { why, body, code } of badReports)
      assertError(await stage.ask('PUT', `${cluster}/status`, { token, body }), 400, code, why);
    assert.equal((await clusters())?.status, before?.status);
    const report = {
      ...ready('True'),
      ...operator({ version: 'op.1.0.0-1', ready: true, dinosaurVersions: ['1.0.0'] }),
    };
    const good = await stage.ask('PUT', `${cluster}/status`, { token, body: report });
    assert.deepEqual([good.status, good.text], [204, '']);
    assert.match((await clusters())?.last_seen_at ?? '', /^\d{4}-/);
  });

  for (const { from, report: body, to, why } of reports) {
    test(`${from} becomes ${to}: ${why}`, async () => {
      const id = await place(`r${reports.findIndex(each => each.report === body)}`, from);
      assert.equal((await report({ [id]: body })).status, 200);
      assert.equal((await read(id)).status, to);
      await stage.ask('DELETE', `${collection}/${id}?async=true`, { token: await stage.user() });
    });
  }

  test('a failure has the reason of the agent, and versions are shown', async () => {
    const id = await place('told', 'provisioning');
    const versions = { dinosaur: '1.0.0', dinosaurOperator: 'op.1.0.0-1' };
    await report({ [id]: { ...ready('False', 'Error', 'no disk'), versions } });
    const { failed_reason: reason, status } = await read(id);
    assert.deepEqual([status, reason], ['failed', 'no disk']);
    const staff = await stage.staff('read');
    const shown = (await stage.ask('GET', `${base}/admin/dinosaurs/${id}`, { token: staff })).body;
    assert.equal(shown.actual_dinosaur_version, '1.0.0');
  });

  test('Deleted ends an instance that is being deleted, and a full cluster loses it', async () => {
    const id = await place('going', 'deprovision');
    await report({ [id]: ready('False', 'Deleted') });
    assert.ok([undefined, 'deleting'].includes((await read(id)).status));
    assert.ok(!(await list()).body.items.some(item => item.id === id));
    const full = await place('squeezed', 'provisioning');
    await report({ [full]: ready('False', 'Rejected', 'Cluster has insufficient resources') });
    const placements = (await list()).body.items.map(item => item.metadata.annotations['mas/placementId']);
    assert.ok(!placements.includes('first-squeezed'), placements.join());
  });

  test('one bad item of a report does not affect the others, and bodies of the wrong shape have code 17', async () => {
    const good = await place('good', 'provisioning');
    const elsewhere = await stage.order('not-here');
    const items = { nothing: ready('True'), [elsewhere]: ready('True'), [good]: ready('True') };
    assert.equal((await report(items)).status, 200);
    assert.equal((await read(good)).status, 'ready');
    assert.equal((await report({})).status, 200);
    for (const body of ['', [], { [good]: 1 }, { [good]: { conditions: {} } }])
      assertError(await report(body), 400, 17, JSON.stringify(body));
    const two = await stage.ask('PUT', `${base}/agent-clusters/two/dinosaurs/status`, {
      token: await stage.agent('two'),
      body: { [good]: ready('False', 'Error', 'not mine') },
    });
    assert.deepEqual([two.status, (await read(good)).status], [200, 'ready']);
  });
});
