import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError, base, collection, setStage } from './support/stage.ts';

/** The fleet manager of a real server, without agents. */
describe('The fleet manager', () => {
  const stage = setStage();

  test('the life of an instance over REST: order, list, read, give, delete', async () => {
    const token = await stage.user();
    const created = await stage.ask('POST', `${collection}?async=true`, { token, body: { name: 'rex' } });
    assert.equal(created.status, 202, created.text);
    const { id } = created.body;
    const path = `${collection}/${id}`;
    assert.equal((await stage.ask('GET', path, { token })).body.owner, 'ann');
    const colleague = await stage.user('ben');
    assert.equal((await stage.ask('GET', collection, { token: colleague })).body.total, 1);
    assertError(await stage.ask('DELETE', `${path}?async=true`, { token: colleague }), 403, 11);
    assertError(await stage.ask('PATCH', path, { token: colleague, body: { owner: 'ben' } }), 403, 11);
    assertError(await stage.ask('PATCH', path, { token, body: { owner: 'stranger' } }), 400, 21);
    assert.equal((await stage.ask('PATCH', path, { token, body: { owner: 'ben' } })).body.owner, 'ben');
    const stranger = await stage.user('ida', { org_id: '999' });
    assertError(await stage.ask('GET', path, { token: stranger }), 404, 7);
    assertError(await stage.ask('POST', `${collection}?async=true`, { token, body: { name: 'rex' } }), 409, 36);
    // An instance that no agent has seen would be removed before the second request.
    await stage.setStatus(id, { state: 'ready', host: 'rex.example.com' });
    const removed = await stage.ask('DELETE', `${path}?async=true`, { token: colleague });
    assert.deepEqual([removed.status, removed.text], [202, '']);
    assert.equal((await stage.ask('DELETE', `${path}?async=true`, { token: colleague })).status, 202);
    assertError(await stage.ask('GET', `${path}/metrics/query_range`, { token: colleague }), 400, 21);
  });

  test("the landscape's own tokens need the landscape's own issuer in the configuration", async () => {
    const order = { username: 'eve', organisation: '300' };
    const issued = await stage.ask('POST', '/api/fleet_mgmt/v1/tokens', { token: stage.landscape.token, body: order });
    assert.equal(issued.status, 201, issued.text);
    const { token } = issued.body;
    assertError(await stage.ask('GET', collection, { token }), 401, 15);
    const { status } = await stage.configure({ tokens: {} });
    assert.equal(status, 200);
    assert.equal((await stage.ask('GET', collection, { token })).status, 200);
    await stage.configure();
    const agent = { username: 'a', roles: ['fleetshard_operator'], cluster_id: 'one' };
    const { body } = await stage.ask('POST', '/api/fleet_mgmt/v1/tokens', {
      token: stage.landscape.token,
      body: agent,
    });
    assert.equal((await stage.ask('GET', `${base}/agent-clusters/one`, { token: body.token })).status, 200);
  });

  test('an agent makes itself known, and operators see it', async () => {
    const token = await stage.agent();
    const report = {
      conditions: [{ type: 'Ready', status: 'True' }],
      dinosaurOperator: [{ version: 'dinosaur-operator.1.0.0-1', ready: true, dinosaurVersions: ['1.0.0'] }],
    };
    const { status, text } = await stage.ask('PUT', `${base}/agent-clusters/one/status`, { token, body: report });
    assert.equal(status, 204, text);
    const clusters = await stage.ask('GET', `${base}/admin/clusters`, { token: await stage.staff('read') });
    const [first] = clusters.body.items;
    assert.deepEqual([first?.cluster_id, first?.status], ['one', 'ready']);
    assert.match(first?.last_seen_at ?? '', /^\d{4}-/);
  });

  test('documents are open, and a bad configuration has no effect', async () => {
    for (const path of ['/api/dinosaurs_mgmt', base, `${base}/openapi`, `${base}/errors`, '/openapi/fleet.json'])
      assert.equal((await stage.ask('GET', path)).status, 200, path);
    const bad = await stage.configure({ deny_list: 'everybody', surprise: true });
    assert.equal(bad.status, 400);
    assert.ok(bad.body.problems.length >= 2, bad.text);
    assertError(await stage.ask('GET', collection, { token: await stage.user('mallory') }), 403, 4);
  });

  test('the server keeps everything when it is killed', async () => {
    const token = await stage.staff('read');
    const before = (await stage.ask('GET', `${base}/admin/dinosaurs`, { token })).body;
    await stage.landscape.kill9();
    await stage.landscape.restart();
    const after = (await stage.ask('GET', `${base}/admin/dinosaurs`, { token })).body;
    assert.deepEqual(after.items, before.items);
  });
});
