import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, base, collection, setStage } from './support/stage.ts';
import type { Json } from './support/stage-document.ts';

const admin = `${base}/admin`;
const running = { product: '1.1.0', operator: 'op.1.0.0-1' };

/** Changes by operators of the product: of an instance with this status, to this code; 0: it is done. */
const patches: readonly { why: string; status: Json; body: unknown; code: number }[] = [
  { why: 'nothing given', status: { state: 'ready' }, body: {}, code: 37 },
  { why: 'blank versions', status: { state: 'ready' }, body: { dinosaur_version: ' ' }, code: 37 },
  { why: 'null counts as nothing', status: { state: 'ready' }, body: { suspended: null }, code: 37 },
  { why: 'a flag of the wrong type', status: { state: 'ready' }, body: { suspended: 'yes' }, code: 17 },
  { why: 'a list', status: { state: 'ready' }, body: [], code: 17 },
  { why: 'an offered version', status: { state: 'ready' }, body: { dinosaur_version: '1.2.0' }, code: 0 },
  { why: 'a failed instance', status: { state: 'failed' }, body: { dinosaur_version: '1.2.0' }, code: 0 },
  { why: 'a version that is not offered', status: { state: 'ready' }, body: { dinosaur_version: '9.9.9' }, code: 8 },
  {
    why: 'an operator version that is not offered',
    status: { state: 'ready' },
    body: { dinosaur_operator_version: 'op.9.9.9-9' },
    code: 8,
  },
  {
    why: 'an operator version that is not ready',
    status: { state: 'ready' },
    body: { dinosaur_operator_version: 'op.3.0.0-1' },
    code: 8,
  },
  {
    why: 'an operator version without the product version',
    status: { state: 'ready' },
    body: { dinosaur_operator_version: 'op.2.0.0-1' },
    code: 8,
  },
  {
    why: 'both versions of one entry',
    status: { state: 'ready' },
    body: { dinosaur_operator_version: 'op.2.0.0-1', dinosaur_version: '2.0.0' },
    code: 0,
  },
  {
    why: 'an older minor version',
    status: { state: 'ready', actual: { product: '1.2.0' } },
    body: { dinosaur_version: '1.1.0' },
    code: 8,
  },
  {
    why: 'an older patch level',
    status: { state: 'ready', actual: { product: '1.1.5' } },
    body: { dinosaur_version: '1.1.0' },
    code: 0,
  },
  {
    why: 'another version during an upgrade',
    status: { state: 'ready', upgrading: { product: true, operator: false } },
    body: { dinosaur_version: '1.2.0' },
    code: 8,
  },
  {
    why: 'the same version during an upgrade',
    status: { state: 'ready', upgrading: { product: true, operator: false } },
    body: { dinosaur_version: '1.1.0' },
    code: 0,
  },
  { why: 'suspend', status: { state: 'ready' }, body: { suspended: true }, code: 0 },
  { why: 'suspend what is not ready', status: { state: 'failed' }, body: { suspended: true }, code: 8 },
  { why: 'suspend twice', status: { state: 'suspended' }, body: { suspended: true }, code: 8 },
  { why: 'resume', status: { state: 'suspended' }, body: { suspended: false }, code: 0 },
  { why: 'resume what runs', status: { state: 'ready' }, body: { suspended: false }, code: 8 },
];

describe('Operators of a product', () => {
  const stage = setStage();
  let token = '';
  let id = '';
  const reset = (status: Json) => stage.setStatus(id, { actual: null, upgrading: null, desired: running, ...status });

  before(async () => {
    token = await stage.staff('full');
    id = await stage.order('rex');
    await stage.setStatus(id, { state: 'ready', host: 'rex.example.com', namespace: 'dinosaur-rex', desired: running });
    await stage.setStatus(id, { routesCreated: true, agentReady: true });
    const dinosaurOperator = [
      { version: 'op.1.0.0-1', ready: true, dinosaurVersions: ['1.1.0', '1.2.0'] },
      { version: 'op.2.0.0-1', ready: true, dinosaurVersions: ['2.0.0'] },
      { version: 'op.3.0.0-1', ready: false, dinosaurVersions: ['1.1.0'] },
    ];
    const body = { conditions: [{ type: 'Ready', status: 'True' }], dinosaurOperator };
    const answer = await stage.ask('PUT', `${base}/agent-clusters/one/status`, { token: await stage.agent(), body });
    assert.equal(answer.status, 204, answer.text);
  });

  test('see the instances of all organisations, with search, order and pages', async () => {
    await stage.order('rex', { token: await stage.user('otto', { org_id: '100' }) });
    const list = async (query: string) => (await stage.ask('GET', `${admin}/dinosaurs?${query}`, { token })).body;
    const all = await list('');
    assert.deepEqual([all.kind, all.total, all.size], ['DinosaurList', 2, 2]);
    assert.deepEqual(all.items.map(item => item.organisation_id).sort(), ['100', '300']);
    assert.deepEqual(
      (await list('search=owner%20%3D%20otto')).items.map(item => item.owner),
      ['otto'],
    );
    assert.equal((await list('orderBy=owner%20desc&size=1')).items[0]?.owner, 'otto');
    assertError(await stage.ask('GET', `${admin}/dinosaurs?search=x`, { token }), 400, 23);
    const { body } = await stage.ask('GET', `${admin}/dinosaurs/${id}`, { token });
    assert.deepEqual([body.href, body.cluster_id], [`${admin}/dinosaurs/${id}`, 'one']);
    assert.equal(body.desired_dinosaur_version, '1.1.0');
    assertError(await stage.ask('GET', `${admin}/dinosaurs/nothing`, { token }), 404, 7);
  });

  for (const { why, status, body, code } of patches) {
    test(`PATCH ${why}: ${code === 0 ? 'done' : `code ${code}`}`, async () => {
      await reset(status);
      const answer = await stage.ask('PATCH', `${admin}/dinosaurs/${id}`, { token, body });
      if (code === 0) return assert.equal(answer.status, 200, answer.text);
      assertError(answer, 400, code);
      const after = (await stage.ask('GET', `${admin}/dinosaurs/${id}`, { token })).body;
      assert.deepEqual([after.status, after.desired_dinosaur_version], [status['state'], '1.1.0'], 'nothing changed');
    });
  }

  test('PATCH of an instance that waits for a version of its cluster: code 8', async () => {
    const waiting = await stage.order('waiting', { body: { region: 'eu-2' } });
    const path = `${admin}/dinosaurs/${waiting}`;
    for (const body of [{ dinosaur_version: '1.2.0' }, { suspended: true }])
      assertError(await stage.ask('PATCH', path, { token, body }), 400, 8, JSON.stringify(body));
    assert.equal((await stage.ask('GET', path, { token })).body.status, 'accepted');
  });

  test('PATCH of an instance that does not exist: code 7, whatever is given', async () => {
    assertError(await stage.ask('PATCH', `${admin}/dinosaurs/nothing`, { token, body: {} }), 404, 7);
  });

  test('see the clusters in a list envelope', async () => {
    const { body } = await stage.ask('GET', `${admin}/clusters`, { token });
    assert.deepEqual([body.page, body.size, body.total], [1, 2, 2]);
    const [one, two] = body.items;
    assert.deepEqual([one?.cluster_id, two?.cluster_id], ['one', 'two']);
    for (const field of ['cloud_provider', 'region', 'multi_az', 'status', 'supported_instance_type', 'last_seen_at'])
      assert.ok(one !== undefined && Object.hasOwn(one, field), field);
    assert.deepEqual([typeof one?.last_seen_at, two?.last_seen_at], ['string', null]);
  });

  test('delete the instances of any organisation', async () => {
    const theirs = await stage.order('theirs', { token: await stage.user('otto', { org_id: '100' }) });
    assertError(await stage.ask('DELETE', `${admin}/dinosaurs/${theirs}`, { token }), 400, 103);
    const removed = await stage.ask('DELETE', `${admin}/dinosaurs/${theirs}?async=true`, { token });
    assert.deepEqual([removed.status, removed.text], [202, '']);
    const { status, body } = await stage.ask('GET', `${admin}/dinosaurs/${theirs}`, { token });
    assert.ok(status === 404 || ['deprovision', 'deleting'].includes(body.status), body.status);
    assertError(await stage.ask('DELETE', `${admin}/dinosaurs/nothing?async=true`, { token }), 404, 7);
  });

  test('leave a trail, rejected calls too, the newest first, without secrets', async () => {
    await stage.ask('GET', `${admin}/dinosaurs`, { token: await stage.user() });
    const body = { dinosaur_version: '9.9.9', password: 'hunter2' };
    await stage.ask('PATCH', `${admin}/dinosaurs/${id}`, { token, body });
    const trail = await stage.ask('GET', `${admin}/audit?size=2`, { token });
    const seen = trail.body.items.map(entry => [entry.method, entry.username, entry.status_code]);
    assert.deepEqual(seen, [
      ['PATCH', 'sam', 400],
      ['GET', 'ann', 404],
    ]);
    assert.equal(trail.body.items[0]?.url, `${admin}/dinosaurs/${id}`);
    assert.match(trail.text, /9\.9\.9/);
    assert.doesNotMatch(trail.text, /hunter2/);
    assert.equal((await stage.ask('GET', collection, { token: await stage.user() })).status, 200);
  });
});
