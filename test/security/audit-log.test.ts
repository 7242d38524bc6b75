import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, type CallOptions, createCaller } from './support/caller.ts';
import { binding, configMap, corePath, create, createAccount, createCluster, rbacPath } from './support/objects.ts';

let landscape: TestLandscape;
let admin: Caller;
let robot: Caller;

before(async () => {
  landscape = await startTestLandscape();
  admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop');
  const { token } = await createAccount(admin, 'shop', 'robot');
  robot = createCaller(landscape, { token });
  await create(admin, `${corePath('shop', 'default')}/configmaps`, configMap('there'));
  const view = binding('ClusterRoleBinding', 'ClusterRole/view', [
    { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
  ]);
  await create(admin, `${rbacPath('shop')}/clusterrolebindings`, view);
});

after(async () => {
  await robot?.[Symbol.asyncDispose]();
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
});

type Entry = Record<string, unknown>;

async function readEntries(): Promise<Entry[]> {
  const text = await readFile(join(landscape.dataDir, 'audit.log'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Entry);
}

/** The records of requests that carry this user agent, once there are so many. */
async function entriesOf(agent: string, count: number): Promise<Entry[]> {
  return await eventually(async () => {
    const mine = (await readEntries()).filter(({ userAgent }) => userAgent === agent);
    return mine.length >= count && mine;
  });
}

const maps = `${corePath('shop', 'default')}/configmaps`;
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

const writes: readonly { path: string; options: CallOptions; expected: Entry; by?: 'robot' | 'nobody' | 'wrong' }[] = [
  { path: maps, options: { body: configMap('one') }, expected: { verb: 'create', code: 201, name: 'one' } },
  { path: maps, options: { body: configMap('one') }, expected: { verb: 'create', code: 409, reason: 'AlreadyExists' } },
  { path: maps, options: { body: '{' }, expected: { verb: 'create', code: 400, reason: 'BadRequest' } },
  {
    path: `${maps}?dryRun=All`,
    options: { body: configMap('dry') },
    expected: { verb: 'create', code: 201, dryRun: true },
  },
  {
    path: `${maps}/one`,
    options: { method: 'PUT', body: configMap('one') },
    expected: { verb: 'update', code: 200, name: 'one' },
  },
  {
    path: `${maps}/one`,
    options: { method: 'PATCH', body: {}, headers: merge },
    expected: { verb: 'patch', code: 200 },
  },
  {
    path: `${maps}/two?fieldManager=x`,
    options: { method: 'PATCH', body: configMap('two'), headers: apply },
    expected: { verb: 'patch', code: 201 },
  },
  { path: `${maps}/no`, options: { method: 'DELETE' }, expected: { verb: 'delete', code: 404, reason: 'NotFound' } },
  {
    path: `${maps}/one`,
    options: { method: 'DELETE', body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] } },
    expected: { verb: 'delete', code: 200, dryRun: true },
  },
  // An empty value means no: it is deleted.
  {
    path: `${maps}/one?dryRun=`,
    options: { method: 'DELETE' },
    expected: { verb: 'delete', code: 200, dryRun: undefined },
  },
  {
    path: `${maps}?labelSelector=a%3Db`,
    options: { method: 'DELETE' },
    expected: { verb: 'deletecollection', code: 200 },
  },
  {
    path: maps,
    options: { body: configMap('x') },
    by: 'robot',
    expected: { verb: 'create', code: 403, reason: 'Forbidden', user: 'system:serviceaccount:default:robot' },
  },
  {
    path: maps,
    options: { body: configMap('x') },
    by: 'nobody',
    expected: { verb: 'create', code: 403, user: 'system:anonymous' },
  },
  {
    path: maps,
    options: { body: configMap('x') },
    by: 'wrong',
    expected: { verb: 'create', code: 401, reason: 'Unauthorized' },
  },
  {
    path: `${maps}/there`,
    options: { method: 'PUT', body: configMap('there'), headers: { 'impersonate-user': 'someone' } },
    expected: { verb: 'update', code: 403, user: 'someone', impersonator: 'admin' },
  },
  {
    path: '/clusters/shop/api/v1/namespaces/default/serviceaccounts/robot/token',
    options: { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} } },
    expected: { verb: 'create', code: 201, resource: 'serviceaccounts', subresource: 'token', name: 'robot' },
  },
  {
    path: '/clusters/nowhere/api/v1/namespaces',
    options: { body: {} },
    expected: { verb: 'create', code: 404, cluster: 'nowhere', resource: 'namespaces' },
  },
];

test('every write, allowed or rejected, is one line that says who did what when, and how it ended', async () => {
  await using nobody = createCaller(landscape);
  await using wrong = createCaller(landscape, { token: 'wrong' });
  const started = Date.now();
  const byName = { robot, nobody, wrong };
  for (const [index, { path, options, by }] of writes.entries()) {
    const headers = { ...options.headers, 'user-agent': `write-${index}/1` };
    await (by === undefined ? admin : byName[by]).send(path, { ...options, headers });
  }
  for (const [index, { expected, path }] of writes.entries()) {
    const found = await entriesOf(`write-${index}/1`, 1);
    assert.equal(found.length, 1, path);
    const [entry = {}] = found;
    const here = { cluster: 'shop', group: '', version: 'v1', resource: 'configmaps', sourceIp: '127.0.0.1' };
    const wanted: Entry = { ...here, ...expected };
    for (const [field, value] of Object.entries(wanted))
      assert.deepEqual(entry[field], value, `${index} ${path}: ${field}`);
    const time = Date.parse(String(entry['time']));
    assert.ok(time >= started - 1000 && time <= Date.now() + 1000, String(entry['time']));
    assert.equal(typeof entry['id'], 'string');
    assert.equal(typeof entry['latencyMs'], 'number');
    assert.ok(Array.isArray(entry['groups']));
  }
});

test('reads and questions leave no line', async () => {
  const headers = { 'user-agent': 'reader/1' };
  const question = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: {} },
  };
  for (const path of [
    maps,
    `${maps}/there`,
    `${maps}?watch=true&timeoutSeconds=1`,
    '/clusters/shop/api',
    '/clusters/shop/openapi/v3',
  ])
    for (const caller of [admin, robot]) await caller.send(path, { headers });
  await admin.send('/clusters/shop/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { headers, body: question });
  await admin.send(maps, { headers: { 'user-agent': 'last/1' }, body: configMap('last') });
  await entriesOf('last/1', 1);
  assert.deepEqual(
    (await readEntries()).filter(({ userAgent }) => userAgent === 'reader/1'),
    [],
  );
});

test('line breaks in requests cannot forge lines of the log', async () => {
  const name = 'x%0A%7B%22user%22%3A%22forged%22%7D';
  await admin.send(`${maps}/${name}`, { method: 'DELETE', headers: { 'user-agent': 'breaker/1' } });
  const [entry] = await entriesOf('breaker/1', 1);
  assert.equal(entry?.['name'], 'x\n{"user":"forged"}');
  assert.ok((await readEntries()).every(({ user }) => user !== 'forged'));
});

test('acknowledged writes of the past are in the log after a clean end', async () => {
  await admin.send(maps, { headers: { 'user-agent': 'parting/1' }, body: configMap('parting') });
  assert.equal((await landscape.stop()).code, 0);
  assert.equal((await readEntries()).filter(({ userAgent }) => userAgent === 'parting/1').length, 1);
  await landscape.restart();
});
