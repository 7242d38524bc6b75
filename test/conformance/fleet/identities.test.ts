import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { base, collection, setStage } from './support/stage.ts';
import { stageSettings } from './support/stage-document.ts';
import { startTokenIssuer } from './support/token-issuer.ts';

type Statuses = Readonly<Record<string, number>>;

interface Route {
  readonly method: string;
  /** As in the OpenAPI document. */
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly expected: Statuses;
}

/** Identities that every route rejects. */
const unverified = [
  'anonymous',
  'garbage',
  'expired',
  'issued in the future',
  'without typ',
  'without iat',
  'for another audience',
  'of an unknown issuer',
  'of another key',
];
const users = ['owner', 'colleague', 'organisation admin', 'other organisation'];
const admins = ['admin read', 'admin write', 'admin full', 'administrator'];
const others = [
  'denied',
  'organisation not on the access list',
  'without organisation',
  'agent',
  'agent of another cluster',
  'agent without role',
];
const everybody = [...unverified, ...users, ...admins, ...others];

const statuses = (names: readonly string[], status: number): Statuses =>
  Object.fromEntries(names.map(name => [name, status]));

const open = statuses(everybody, 200);
/** Who has a valid token. */
const token = { ...statuses(everybody, 200), ...statuses(unverified, 401) };
/** Users of an organisation; `changes` where they are not all treated alike. */
const user = (admitted: number, changes: Statuses = {}): Statuses => ({
  ...statuses(everybody, 401),
  ...statuses(users, admitted),
  denied: 403,
  'organisation not on the access list': 403,
  ...changes,
});
const admin = (admitted: number, roles: readonly string[] = admins): Statuses => ({
  ...statuses(everybody, 404),
  ...statuses(unverified, 401),
  ...statuses(roles, admitted),
});
const agent = (admitted: number): Statuses => ({
  ...statuses(everybody, 404),
  ...statuses(unverified, 401),
  agent: admitted,
});
/** These tokens name no user of the landscape itself, as they have no `sub`. */
const operator = (admitted: number): Statuses => ({ ...statuses(everybody, 401), administrator: admitted });
const notTheirs = { 'other organisation': 404 };
const cluster = `${base}/agent-clusters/{id}`;
const fleet = '/api/fleet_mgmt/v1';

/** All routes. A request that changes something lacks what it needs, so an admitted caller gets 400. */
const routes: readonly Route[] = [
  { method: 'GET', path: '/api/dinosaurs_mgmt', expected: open },
  { method: 'GET', path: base, expected: open },
  { method: 'GET', path: `${base}/openapi`, expected: open },
  { method: 'GET', path: `${base}/errors`, expected: open },
  { method: 'GET', path: `${base}/errors/{id}`, expected: statuses(everybody, 404) },
  { method: 'GET', path: `${base}/status`, expected: user(200, { denied: 200 }) },
  { method: 'GET', path: `${base}/quota`, expected: user(200) },
  { method: 'GET', path: `${base}/cloud_providers`, expected: token },
  { method: 'GET', path: `${base}/cloud_providers/{id}/regions`, expected: token },
  { method: 'GET', path: collection, expected: user(200) },
  { method: 'POST', path: collection, body: {}, expected: user(400) },
  { method: 'GET', path: `${collection}/{id}`, expected: user(200, notTheirs) },
  { method: 'PATCH', path: `${collection}/{id}`, body: {}, expected: user(200, { ...notTheirs, colleague: 403 }) },
  { method: 'DELETE', path: `${collection}/{id}`, expected: user(400) },
  {
    method: 'GET',
    path: `${collection}/{id}/metrics/query_range`,
    query: '?duration=5&interval=30',
    expected: user(200, notTheirs),
  },
  { method: 'GET', path: `${collection}/{id}/metrics/query`, expected: user(200, notTheirs) },
  { method: 'GET', path: `${collection}/{id}/metrics/federate`, expected: user(200, notTheirs) },
  { method: 'GET', path: `${base}/admin/dinosaurs`, expected: admin(200) },
  { method: 'GET', path: `${base}/admin/dinosaurs/{id}`, expected: admin(200) },
  {
    method: 'PATCH',
    path: `${base}/admin/dinosaurs/{id}`,
    body: {},
    expected: admin(400, ['admin write', 'admin full', 'administrator']),
  },
  { method: 'DELETE', path: `${base}/admin/dinosaurs/{id}`, expected: admin(400, ['admin full', 'administrator']) },
  { method: 'GET', path: `${base}/admin/clusters`, expected: admin(200) },
  { method: 'GET', path: `${base}/admin/audit`, expected: admin(200) },
  { method: 'GET', path: cluster, expected: agent(200) },
  { method: 'PUT', path: `${cluster}/status`, body: {}, expected: agent(204) },
  { method: 'PUT', path: `${cluster}/metrics`, body: {}, expected: agent(204) },
  { method: 'PUT', path: `${cluster}/dinosaurs/status`, body: {}, expected: agent(200) },
  { method: 'GET', path: `${cluster}/dinosaurs`, expected: agent(200) },
  { method: 'GET', path: `${cluster}/dinosaurs/{instanceId}`, expected: agent(200) },
  { method: 'GET', path: `${fleet}/products`, expected: operator(200) },
  { method: 'GET', path: `${fleet}/configuration`, expected: operator(200) },
  { method: 'PUT', path: `${fleet}/configuration`, body: {}, expected: operator(400) },
  { method: 'GET', path: `${fleet}/quota`, expected: operator(200) },
  { method: 'GET', path: `${fleet}/capacity`, expected: operator(200) },
  { method: 'GET', path: `${fleet}/instances/{id}/placement`, expected: operator(200) },
  { method: 'PUT', path: `${fleet}/clusters/{id}/drain`, body: [], expected: operator(400) },
  { method: 'POST', path: `${fleet}/tokens`, body: {}, expected: operator(400) },
];

describe('Who may use which route', () => {
  const stage = setStage();
  const tokens = new Map<string, string | undefined>();
  let id = '';

  before(async () => {
    const { issuer } = stage;
    const now = Math.floor(Date.now() / 1000);
    const settings = { ...stageSettings, enable_access_list: true };
    assert.equal((await stage.configure({ settings, access_list: ['300', '200', '400'] })).status, 200);
    await using elsewhere = await startTokenIssuer();
    const entries: Readonly<Record<string, string | undefined>> = {
      anonymous: undefined,
      garbage: 'not.a.token',
      expired: await stage.user('ann', { exp: now - 100 }),
      'issued in the future': await stage.user('ann', { iat: now + 600, exp: now + 1200 }),
      'without typ': await stage.user('ann', { typ: undefined }),
      'without iat': await stage.user('ann', { iat: undefined }),
      'for another audience': await stage.user('ann', { aud: 'somebody' }),
      'of an unknown issuer': await elsewhere.sign('users', { username: 'ann', org_id: '300' }),
      'of another key': await elsewhere.sign('users', {
        username: 'ann',
        org_id: '300',
        iss: issuer.issuerOf('users'),
      }),
      owner: await stage.user(),
      colleague: await stage.user('ben'),
      'organisation admin': await stage.user('olga', { is_org_admin: true }),
      'other organisation': await stage.user('ann', { org_id: '200' }),
      denied: await stage.user('mallory'),
      'organisation not on the access list': await stage.user('ida', { org_id: '999' }),
      'without organisation': await stage.user('ann', { org_id: undefined }),
      agent: await stage.agent(),
      'agent of another cluster': await stage.agent('two'),
      'agent without role': await issuer.sign('agents', { username: 'a', 'fleetshard-operator-cluster-id': 'one' }),
      'admin read': await stage.staff('read'),
      'admin write': await stage.staff('write'),
      'admin full': await stage.staff('full'),
      administrator: stage.landscape.token,
    };
    for (const [name, bearer] of Object.entries(entries)) tokens.set(name, bearer);
    id = await stage.order('rex');
    await stage.setStatus(id, { state: 'ready', host: 'rex.example.com', namespace: 'dinosaur-rex', agentReady: true });
  });

  test('the table has every identity and every route that is documented', async () => {
    assert.deepEqual([...tokens.keys()].sort(), [...everybody].sort());
    const { paths } = (await stage.ask('GET', '/openapi/fleet.json')).body;
    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(documented.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  for (const { method, path, query = '', body, expected } of routes) {
    test(`${method} ${path}`, async () => {
      const isOfCluster = path.includes('clusters/{id}');
      const address = path.replace('{instanceId}', id).replace('{id}', isOfCluster ? 'one' : id) + query;
      const seen = await Promise.all(
        everybody.map(async name => {
          const { status } = await stage.ask(method, address, { token: tokens.get(name), body });
          return [name, status] as const;
        }),
      );
      assert.deepEqual(Object.fromEntries(seen), expected);
    });
  }

  const reasons: Readonly<Record<string, RegExp>> = {
    anonymous: /doesn't contain the 'Authorization' header/,
    garbage: /malformed/,
    expired: /expired/,
    'issued in the future': /in the future/,
    'without typ': /required claim 'typ'/,
    'without iat': /required claim 'iat'/,
    'for another audience': /another audience/,
    'of an unknown issuer': /unknown issuer/,
    'of another key': /Signature/,
    'without organisation': /organisation/,
    agent: /issuer that is not accepted/,
    administrator: /no organisation/,
  };
  for (const [name, reason] of Object.entries(reasons)) {
    test(`a token ${name} has a reason of its own for code 15`, async () => {
      const { status, body, text } = await stage.ask('GET', collection, { token: tokens.get(name) });
      assert.deepEqual([status, body.code], [401, 'DINOSAURS-MGMT-15'], text);
      assert.match(body.reason, reason);
    });
  }

  test('users of the landscape who do not run it are no operators', async () => {
    const token = await stage.user('ann', { sub: 'ann' });
    const { status, body, text } = await stage.ask('GET', `${fleet}/products`, { token });
    assert.deepEqual([status, body.code], [403, 'FLEET-MGMT-11'], text);
  });

  test('the two lists have codes of their own', async () => {
    const codeFor = async (name: string) => (await stage.ask('GET', collection, { token: tokens.get(name) })).body.code;
    assert.equal(await codeFor('denied'), 'DINOSAURS-MGMT-4');
    assert.equal(await codeFor('organisation not on the access list'), 'DINOSAURS-MGMT-18');
  });

  test('claims have alternative names, and federate takes tokens of the agents’ issuer', async () => {
    const claims = { preferred_username: 'ann', 'rh-org-id': '300' };
    const [ofUser, ofAgent] = await Promise.all(['users', 'agents'].map(realm => stage.issuer.sign(realm, claims)));
    assert.equal((await stage.ask('GET', `${collection}/${id}`, { token: ofUser })).status, 200);
    assert.equal((await stage.ask('GET', `${collection}/${id}/metrics/federate`, { token: ofAgent })).status, 200);
    assert.equal((await stage.ask('GET', `${collection}/${id}/metrics/query`, { token: ofAgent })).status, 401);
  });

  test('roles are compared without regard to case, and schemes other than Bearer are rejected', async () => {
    const roles = ['Fleet-Manager-Admin-READ'];
    const shouting = await stage.issuer.sign('staff', { username: 'sam', realm_access: { roles } });
    assert.equal((await stage.ask('GET', `${base}/admin/dinosaurs`, { token: shouting })).status, 200);
    const { status, body } = await stage.ask('GET', collection, { headers: { authorization: 'Basic YTpi' } });
    assert.equal(status, 401);
    assert.match(body.reason, /'Basic' isn't supported/);
  });
});
