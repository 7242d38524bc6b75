import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { Agent, request } from 'undici';
import {
  assertError,
  assertStatus,
  at,
  type BasicLogin,
  type Body,
  basicOf,
  textAt,
  withQuery,
} from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { connectProxy, linesOf, proxyOf } from '../support/proxy.ts';
import { openPlan, openShop, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/notifications';

/** Section 16: notifications to proxies. */
export function notifications(stage: Stage): void {
  describe('notifications', () => {
    connecting(stage);
    messages(stage);
    audiences(stage);
    keepAlive(stage);
    streams(stage);
  });
}

const isOf = (id: string, type: string) => (message: Body) =>
  message['type'] === type &&
  [at(message, 'payload', 'new', 'resource', 'id'), at(message, 'payload', 'old', 'resource', 'id')].includes(id);

const revisionOf = (message: Body | undefined): number => Number(message?.['revision']);

function connecting(stage: Stage): void {
  outcome(
    stage,
    [`GET ${path} 101`, `GET ${path} 401 Unauthorized`, `GET ${path} 400 WebsocketUpgradeError`],
    'platforms connect',
    async () => {
      const { login } = await registerPlatform(stage);
      await using proxy = await proxyOf(stage, { login });
      assert.match(String(proxy.headers['max_ping_period']), /^\d+(\.\d+)?(s|ms)$/);
      assert.equal(await connectProxy(stage, {}), 401);
      assert.equal(await connectProxy(stage, { login: { ...login, password: 'x' } }), 401);
      const operator = { headers: { authorization: `Bearer ${stage.landscape.token}` } };
      assert.equal(await connectProxy(stage, operator), 401, 'people are no platforms');
      assertError(await stage.get(path, { as: login }), 400, 'WebsocketUpgradeError');
    },
  );
  outcome(
    stage,
    [
      `GET ${path}?last_notification_revision 101`,
      `GET ${path}?last_notification_revision 410`,
      `GET ${path}?last_notification_revision 400 BadRequest`,
    ],
    'they go on where they were, or begin anew',
    async () => {
      const { login, id } = await registerPlatform(stage);
      const shop = await openShop(stage);
      await using first = await proxyOf(stage, { login });
      const newest = Number(first.headers['last_notification_revision']);
      assert.ok(newest > 0);
      const visibility = await openPlan(stage, shop.plan('queue/sync'), { platform_id: id });
      const created = revisionOf(await first.hear(isOf(visibility, 'CREATED')));
      assert.ok(created > newest);
      assertStatus(await stage.delete(`/v1/visibilities/${visibility}`), 200);
      const deleted = revisionOf(await first.hear(isOf(visibility, 'DELETED')));

      await using behind = await proxyOf(stage, { login, revision: newest });
      await behind.hear(isOf(visibility, 'DELETED'));
      assert.deepEqual(
        behind.heard.map(message => message['revision']),
        [created, deleted],
      );
      await using uptodate = await proxyOf(stage, { login, revision: deleted });
      assert.equal(Number(uptodate.headers['last_notification_revision']), deleted);
      assert.deepEqual(uptodate.heard, []);
      for (const revision of [0, -1, deleted + 100_000, 1])
        assert.equal(await connectProxy(stage, { login, revision }), 410, String(revision));
      assert.equal(await connectProxy(stage, { login, revision: 'x' }), 400);
    },
  );
  test('more than they may be behind is too much', async () => {
    const { login, id } = await registerPlatform(stage);
    const shop = await openShop(stage);
    await using proxy = await proxyOf(stage, { login });
    const newest = Number(proxy.headers['last_notification_revision']);
    // The stage lets proxies be five events behind.
    const visibility = await openPlan(stage, shop.plan('queue/sync'), { platform_id: id });
    for (let count = 0; count < 5; count++) {
      const labels = [{ op: 'add', key: `k${count}`, values: ['v'] }];
      assertStatus(await stage.patch(`/v1/visibilities/${visibility}`, { labels }), 200);
    }
    await eventually(() => proxy.heard.length >= 6);
    assert.equal(await connectProxy(stage, { login, revision: newest }), 410);
    const second = revisionOf(proxy.heard[0]);
    await using near = await proxyOf(stage, { login, revision: second });
    await eventually(() => near.heard.length === 5);
  });
}

function messages(stage: Stage): void {
  test('of a broker: created, modified with its catalog, deleted; never with credentials', async () => {
    const { login } = await registerPlatform(stage);
    await using proxy = await proxyOf(stage, { login });
    const shop = await openShop(stage);
    const created = await proxy.hear(isOf(shop.id, 'CREATED'));
    assert.equal(created['resource'], '/v1/service_brokers');
    assert.deepEqual(
      [created['ready'], typeof created['id'], typeof created['correlation_id']],
      [true, 'string', 'string'],
    );
    assert.equal(at(created, 'payload', 'old'), undefined);
    const services = at(created, 'payload', 'new', 'additional', 'services') as Body[];
    assert.equal(services.length, 2);
    assert.ok(((services[0] as Body)['plans'] as Body[]).length > 1);
    const labels = [{ op: 'add', key: 'a', values: ['b'] }];
    const named = { headers: { 'x-correlation-id': 'the-cause' } };
    assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, { description: 'new', labels }, named), 200);
    const modified = await proxy.hear(isOf(shop.id, 'MODIFIED'));
    assert.equal(modified['correlation_id'], 'the-cause');
    assert.equal(at(modified, 'payload', 'new', 'resource', 'description'), 'new');
    assert.equal(at(modified, 'payload', 'old', 'resource', 'description'), '');
    assert.deepEqual(at(modified, 'payload', 'label_changes'), labels);
    assertStatus(await stage.delete(`/v1/service_brokers/${shop.id}`), 200);
    const deleted = await proxy.hear(isOf(shop.id, 'DELETED'));
    assert.equal(at(deleted, 'payload', 'new'), undefined);
    assert.doesNotMatch(JSON.stringify(proxy.heard), /broker-password|"credentials"/);
    const revisions = proxy.heard.map(revisionOf);
    assert.deepEqual(
      revisions,
      revisions.toSorted((left, right) => left - right),
    );
  });
  test('of a broker that was registered in the background not before it is ready', async () => {
    const { login } = await registerPlatform(stage);
    await using proxy = await proxyOf(stage, { login });
    const shop = await openShop(stage);
    const created = await proxy.hear(isOf(shop.id, 'CREATED'));
    assert.equal(at(created, 'payload', 'new', 'resource', 'ready'), true);
  });
  test('of a change that changes nothing nobody hears (deviation: no event for what did not change)', async () => {
    const { login } = await registerPlatform(stage);
    const shop = await openShop(stage);
    await using proxy = await proxyOf(stage, { login });
    assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, {}), 200);
    assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, { description: 'now' }), 200);
    await proxy.hear(isOf(shop.id, 'MODIFIED'));
    assert.equal(proxy.heard.length, 1);
  });
  test('of a visibility: with its plan and broker, and moved from one platform to another', async () => {
    const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
    const shop = await openShop(stage);
    await using proxy = await proxyOf(stage, { login: one.login });
    await using neighbour = await proxyOf(stage, { login: other.login });
    const id = await openPlan(stage, shop.plan('queue/sync'), { platform_id: one.id });
    const created = await proxy.hear(isOf(id, 'CREATED'));
    assert.deepEqual([created['resource'], created['platform_id']], ['/v1/visibilities', one.id]);
    const additional = at(created, 'payload', 'new', 'additional');
    assert.deepEqual([at(additional, 'broker_id'), at(additional, 'broker_name')], [shop.id, shop.name]);
    assert.equal(at(additional, 'service_plan', 'id'), shop.plan('queue/sync'));
    const labels = [{ op: 'add', key: 'organization_guid', values: ['o'] }];
    assertStatus(await stage.patch(`/v1/visibilities/${id}`, { labels }), 200);
    assert.deepEqual(at(await proxy.hear(isOf(id, 'MODIFIED')), 'payload', 'label_changes'), labels);
    assertStatus(await stage.patch(`/v1/visibilities/${id}`, { platform_id: other.id }), 200);
    await proxy.hear(isOf(id, 'DELETED'));
    await neighbour.hear(isOf(id, 'CREATED'));
    assert.deepEqual(
      neighbour.heard.map(message => message['type']),
      ['CREATED'],
    );
  });
  test('an acknowledgement is answered (addition)', async () => {
    const { login } = await registerPlatform(stage);
    await using proxy = await proxyOf(stage, { login });
    proxy.socket.send(JSON.stringify({ ack: 7 }));
    await proxy.hear(message => message['acked'] === 7);
  });
}

function audiences(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  test('a visibility for all goes to all, one for a platform to that one, and each connection gets everything', async () => {
    const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
    await using first = await proxyOf(stage, { login: one.login });
    await using second = await proxyOf(stage, { login: one.login });
    await using stranger = await proxyOf(stage, { login: other.login });
    const narrow = await openPlan(stage, shop.plan('queue/sync'), { platform_id: one.id });
    const open = await openPlan(stage, shop.plan('queue/async'));
    for (const proxy of [first, second]) {
      await proxy.hear(isOf(narrow, 'CREATED'));
      await proxy.hear(isOf(open, 'CREATED'));
    }
    await stranger.hear(isOf(open, 'CREATED'));
    assert.equal(stranger.heard.length, 1);
  });
  test('a broker is told to platforms that one of its plans supports', async () => {
    const [supported, excluded] = [await registerPlatform(stage, { type: 'moon' }), await registerPlatform(stage)];
    await using there = await proxyOf(stage, { login: supported.login });
    await using elsewhere = await proxyOf(stage, { login: excluded.login });
    const offering = (metadata: Body) => ({
      services: [
        {
          id: 'm',
          name: 'm',
          description: 'd',
          bindable: true,
          plans: [{ id: 'm', name: 'm', description: 'd', metadata }],
        },
      ],
    });
    const narrow = offering({ supportedPlatforms: ['moon'] });
    const moon = await openShop(stage, { catalog: narrow });
    await there.hear(isOf(moon.id, 'CREATED'));
    moon.broker.setCatalog(offering({}));
    assertStatus(await stage.patch(`/v1/service_brokers/${moon.id}`, {}), 200);
    await there.hear(isOf(moon.id, 'MODIFIED'));
    await elsewhere.hear(isOf(moon.id, 'CREATED'));
    moon.broker.setCatalog(narrow);
    assertStatus(await stage.patch(`/v1/service_brokers/${moon.id}`, {}), 200);
    await elsewhere.hear(isOf(moon.id, 'DELETED'));
    assert.deepEqual(
      elsewhere.heard.filter(message => message['resource'] === '/v1/service_brokers').map(message => message['type']),
      ['CREATED', 'DELETED'],
      'deviation: CREATED is not followed by MODIFIED',
    );
  });
}

function keepAlive(stage: Stage): void {
  const state = async (id: string, query: string) =>
    (await stage.get(withQuery('/v1/platforms', { fieldQuery: `id eq '${id}' and ${query}` }))).body['num_items'];

  test('a connected platform is active, and is known by its version', async () => {
    const { login, id } = await registerPlatform(stage);
    assert.equal(await state(id, 'active eq true'), 0);
    {
      await using proxy = await proxyOf(stage, { login, headers: { 'x-peripli-agent-version': '1.2.3' } });
      assert.equal(await state(id, "active eq true and version eq '1.2.3' and credentials_active eq true"), 1);
      const ponged = once(proxy.socket, 'pong');
      proxy.socket.ping();
      await ponged;
    }
    await eventually(async () => (await state(id, 'active eq false and last_active gt 2020-01-01T00:00:00Z')) === 1);
  });
  outcome(
    stage,
    'DELETE /v1/platforms/:id?cascade=true 422 UnprocessableEntity',
    'a connected platform is not deleted by cascade',
    async () => {
      const { login, id } = await registerPlatform(stage);
      {
        await using _proxy = await proxyOf(stage, { login });
        assertError(await stage.delete(`/v1/platforms/${id}?cascade=true`), 422, 'UnprocessableEntity', /active/);
      }
      await eventually(async () => (await stage.delete(`/v1/platforms/${id}?cascade=true`)).status === 202);
    },
  );
  test('credentials that were used hold until others are', async () => {
    const { login, id } = await registerPlatform(stage);
    {
      await using _proxy = await proxyOf(stage, { login });
    }
    const next = await regenerate(stage, id);
    assertStatus(await stage.get('/v1/platforms', { as: login }), 200);
    assertStatus(await stage.get('/v1/platforms', { as: next }), 200);
    const third = await regenerate(stage, id);
    assertError(await stage.get('/v1/platforms', { as: next }), 401, 'Unauthorized');
    assertStatus(await stage.get('/v1/platforms', { as: login }), 200);
    await using _proxy = await proxyOf(stage, { login: third });
    assertError(await stage.get('/v1/platforms', { as: login }), 401, 'Unauthorized');
  });
}

async function regenerate(stage: Stage, id: string): Promise<BasicLogin> {
  const changed = await stage.patch(`/v1/platforms/${id}?regenerateCredentials=true`, {});
  assertStatus(changed, 200);
  return {
    username: textAt(changed, 'credentials', 'basic', 'username'),
    password: textAt(changed, 'credentials', 'basic', 'password'),
  };
}

function streams(stage: Stage): void {
  const open = async (login: BasicLogin, accept: string, query = '') => {
    const { url, ca } = stage.landscape;
    const agent = new Agent({ connect: { ca } });
    const response = await request(`${url}${path}${query}`, {
      dispatcher: agent,
      headers: { authorization: basicOf(login), accept },
    });
    stage.saw({ method: 'GET', path: path + query, status: response.statusCode, error: undefined });
    return { response, lines: linesOf(response.body), [Symbol.asyncDispose]: () => agent.destroy() };
  };
  outcome(stage, `GET ${path} 200`, 'the same events come as lines of JSON (addition)', async () => {
    const { login, id } = await registerPlatform(stage);
    const shop = await openShop(stage);
    await using stream = await open(login, 'application/x-ndjson');
    const newest = String(stream.response.headers['last_notification_revision']);
    const visibility = await openPlan(stage, shop.plan('queue/sync'), { platform_id: id });
    const line = (await stream.lines.next()).value ?? '';
    assert.ok(isOf(visibility, 'CREATED')(JSON.parse(line) as Body));
    await using again = await open(login, 'application/x-ndjson', `?last_notification_revision=${newest}`);
    assert.equal((await again.lines.next()).value, line);
    await using gone = await open(login, 'application/x-ndjson', '?last_notification_revision=1');
    assert.equal(gone.response.statusCode, 410);
  });
  test('and as server-sent events', async () => {
    const { login, id } = await registerPlatform(stage);
    const shop = await openShop(stage);
    await using stream = await open(login, 'text/event-stream');
    const visibility = await openPlan(stage, shop.plan('queue/sync'), { platform_id: id });
    const [first, second] = [(await stream.lines.next()).value, (await stream.lines.next()).value];
    assert.match(String(first), /^id: \d+$/);
    assert.ok(isOf(visibility, 'CREATED')(JSON.parse(String(second).replace('data: ', '')) as Body));
  });
}
