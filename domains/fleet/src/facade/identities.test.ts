import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  adminToken,
  agentToken,
  base,
  issuers,
  staffToken,
  startTestFacade,
  type TestFacade,
  testToken,
  userToken,
} from './test-facade.ts';

let facade: TestFacade;
let id: string;
before(async () => {
  facade = await startTestFacade();
  ({ id } = await facade.addInstance('rex', {
    status: { clusterId: 'frankfurt-1', host: 'rex.example.com', namespace: 'n' },
  }));
});
after(() => facade[Symbol.asyncDispose]());

const identities: Readonly<Record<string, string | null>> = {
  nobody: null,
  user: userToken(),
  'user of another issuer': testToken(issuers.staff, { username: 'zoe', org_id: '13640203' }),
  'user without organisation': testToken(issuers.users, { username: 'zoe' }),
  'user who is denied': userToken('mallory'),
  'user of another organisation': userToken('ida', { org_id: '999' }),
  'admin read': staffToken('read'),
  'admin write': staffToken('write'),
  'admin full': staffToken('full'),
  'admin role, wrong issuer': testToken(issuers.users, {
    username: 'zoe',
    realm_access: { roles: ['fleet-manager-admin-full'] },
  }),
  agent: agentToken(),
  'agent of the landscape': agentToken('frankfurt-1', issuers.own),
  'agent of another cluster': agentToken('elsewhere'),
  'agent without role': testToken(issuers.agents, {
    username: 'agent',
    'fleetshard-operator-cluster-id': 'frankfurt-1',
  }),
  'agent issuer, user claims': testToken(issuers.agents, { username: 'zoe', org_id: '13640203' }),
  administrator: adminToken,
};

const names = Object.keys(identities);
const others = (status: number): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map(name => [name, name === 'nobody' ? 401 : status]));
const all = (status: number): Readonly<Record<string, number>> => Object.fromEntries(names.map(name => [name, status]));

const users = { ...others(401), user: 200, 'user who is denied': 403 };
const agents = { ...others(404), agent: 200, 'agent of the landscape': 200 };
const table: readonly { method: string; path: string; body?: object; expected: Readonly<Record<string, number>> }[] = [
  { method: 'GET', path: '/api/dinosaurs_mgmt', expected: all(200) },
  { method: 'GET', path: base, expected: all(200) },
  { method: 'GET', path: `${base}/openapi`, expected: all(200) },
  { method: 'GET', path: `${base}/errors`, expected: all(200) },
  { method: 'GET', path: `${base}/errors/7`, expected: all(200) },
  { method: 'POST', path: `${base}/errors`, expected: all(405) },
  { method: 'GET', path: `${base}/nothing`, expected: others(404) },
  { method: 'PUT', path: `${base}/dinosaurs`, expected: others(405) },
  { method: 'GET', path: `${base}/cloud_providers`, expected: others(200) },
  { method: 'GET', path: `${base}/cloud_providers/aws/regions`, expected: others(200) },
  { method: 'GET', path: `${base}/dinosaurs`, expected: { ...users, 'user of another organisation': 200 } },
  { method: 'GET', path: `${base}/dinosaurs/ID`, expected: { ...users, 'user of another organisation': 404 } },
  {
    method: 'PATCH',
    path: `${base}/dinosaurs/ID`,
    body: {},
    expected: { ...users, 'user of another organisation': 404 },
  },
  {
    method: 'GET',
    path: `${base}/dinosaurs/ID/metrics/query`,
    expected: { ...users, 'user of another organisation': 404 },
  },
  {
    method: 'GET',
    path: `${base}/dinosaurs/ID/metrics/federate`,
    expected: { ...users, 'user of another organisation': 404, 'agent issuer, user claims': 200 },
  },
  {
    method: 'GET',
    path: `${base}/status`,
    expected: { ...others(401), user: 200, 'user of another organisation': 200, 'user who is denied': 200 },
  },
  ...['', '/ID', '/../clusters', '/../audit'].map(rest => ({
    method: 'GET',
    path: rest.startsWith('/..') ? `${base}/admin${rest.slice(3)}` : `${base}/admin/dinosaurs${rest}`,
    expected: { ...others(404), 'admin read': 200, 'admin write': 200, 'admin full': 200, administrator: 200 },
  })),
  {
    method: 'PATCH',
    path: `${base}/admin/dinosaurs/ID`,
    body: { dinosaur_version: '1.0.0' },
    expected: { ...others(404), 'admin write': 200, 'admin full': 200, administrator: 200 },
  },
  {
    method: 'DELETE',
    path: `${base}/admin/dinosaurs/ID`,
    expected: { ...others(404), 'admin full': 400, administrator: 400 },
  },
  { method: 'GET', path: `${base}/agent-clusters/frankfurt-1`, expected: agents },
  { method: 'GET', path: `${base}/agent-clusters/frankfurt-1/dinosaurs`, expected: agents },
  { method: 'GET', path: `${base}/agent-clusters/frankfurt-1/dinosaurs/ID`, expected: agents },
  { method: 'PUT', path: `${base}/agent-clusters/frankfurt-1/dinosaurs/status`, body: {}, expected: agents },
  {
    method: 'PUT',
    path: `${base}/agent-clusters/frankfurt-1/status`,
    body: { conditions: [] },
    expected: { ...agents, agent: 204, 'agent of the landscape': 204 },
  },
  { method: 'GET', path: `${base}/agent-clusters/elsewhere`, expected: others(404) },
  { method: 'GET', path: '/api/unknown_mgmt/v1', expected: all(404) },
  { method: 'GET', path: '/api/fleet_mgmt/v1/products', expected: { ...others(403), administrator: 200 } },
];

for (const { method, path, body, expected } of table) {
  test(`${method} ${path} admits whom it should`, async () => {
    const statuses = await Promise.all(
      names.map(async name => {
        const { status } = await facade.ask(method, path.replace('ID', id), { token: identities[name] ?? null, body });
        return [name, status] as const;
      }),
    );
    assert.deepEqual(Object.fromEntries(statuses), expected);
  });
}

const rejected: readonly { why: string; token: string; reason: RegExp }[] = [
  { why: 'no JWT', token: 'x', reason: /malformed/ },
  { why: 'no type', token: userToken('zoe', { typ: undefined }), reason: /required claim 'typ'/ },
  { why: 'an ID token', token: userToken('zoe', { typ: 'ID' }), reason: /type 'ID' isn't allowed/ },
  { why: 'no time of issue', token: userToken('zoe', { iat: undefined }), reason: /required claim 'iat'/ },
  { why: 'issued in the future', token: userToken('zoe', { iat: 4e9 }), reason: /issued in the future/ },
  { why: 'no organisation', token: userToken('zoe', { org_id: undefined }), reason: /organisation/ },
  { why: 'no user', token: userToken('', {}), reason: /names no user/ },
  { why: 'is_org_admin is a text', token: userToken('zoe', { is_org_admin: 'true' }), reason: /is_org_admin/ },
  { why: 'another issuer', token: testToken(issuers.agents, { username: 'zoe', org_id: '1' }), reason: /issuer/ },
  { why: 'the administrator', token: adminToken, reason: /no organisation/ },
];

for (const { why, token, reason } of rejected) {
  test(`a token is rejected with code 15 and a reason of its own: ${why}`, async () => {
    const { status, body } = await facade.ask('GET', `${base}/dinosaurs`, { token });
    assert.deepEqual([status, body.code], [401, 'DINOSAURS-MGMT-15']);
    assert.match(body.reason, reason);
  });
}

test('claims have alternative names', async () => {
  const token = testToken(issuers.users, { preferred_username: 'zoe', 'rh-org-id': '13640203' });
  assert.equal((await facade.ask('GET', `${base}/dinosaurs/${id}`, { token })).status, 200);
});

test('an issuer whose keys cannot be fetched leads to 503 with Retry-After', async () => {
  const { status, headers, body } = await facade.ask('GET', `${base}/dinosaurs`, { token: 'unavailable' });
  assert.deepEqual([status, body.code], [503, 'DINOSAURS-MGMT-503']);
  assert.match(headers.get('retry-after') ?? '', /^\d+$/);
});

test('why an admin or an agent is rejected is logged with the operation id', async () => {
  const { body } = await facade.ask('GET', `${base}/admin/dinosaurs`, { token: userToken() });
  assert.equal(body.reason, 'Resource not found');
  const line = facade.logged.find(({ fields }) => fields['operation'] === body.operation_id);
  assert.match(String(line?.fields['reason']), /issuer/);
});
