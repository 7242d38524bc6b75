// The audit log as a kind of the platform cluster: only operators read it.
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { runCli } from '../durability/support/run-cli.ts';
import { type Caller, createCaller } from './support/caller.ts';
import { binding, configMap, corePath, create, createAccount, createCluster, rbacPath } from './support/objects.ts';

interface RecordList {
  readonly metadata: { readonly older?: string; readonly damagedLines?: number; readonly replica?: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: Readonly<Record<string, unknown>>;
  }[];
}

const records = '/clusters/platform/apis/audit.chandlery.io/v1alpha1/auditrecords';
const maps = `${corePath('shop', 'default')}/configmaps`;

let landscape: TestLandscape;
let admin: Caller;

before(async () => {
  landscape = await startTestLandscape();
  admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop');
  for (const name of ['one', 'two', 'three']) await create(admin, maps, configMap(name));
  await landscape.request(maps, { body: configMap('one') });
});

after(async () => {
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
});

async function list(query: Readonly<Record<string, string>>): Promise<RecordList> {
  const answer = await landscape.request(`${records}?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<RecordList>();
}

const ofMaps = { fieldSelector: 'cluster=shop,resource=configmaps,namespace=default' };

test('an operator reads who did what, the newest first, page by page', async () => {
  const all = await eventually(async () => {
    const found = await list(ofMaps);
    return found.items.length >= 4 && found;
  });
  assert.deepEqual(
    all.items.slice(0, 4).map(({ spec }) => [spec['verb'], spec['name'], spec['outcome'], spec['code']]),
    [
      ['create', 'one', 'failed', 409],
      ['create', 'three', 'succeeded', 201],
      ['create', 'two', 'succeeded', 201],
      ['create', 'one', 'succeeded', 201],
    ],
  );
  const pages: string[] = [];
  let older: string | undefined;
  for (let count = 0; count < 10; count += 1) {
    const page = await list({ ...ofMaps, limit: '2', ...(older !== undefined && { before: older }) });
    pages.push(...page.items.map(({ metadata }) => metadata.name));
    older = page.metadata.older;
    if (older === undefined) break;
  }
  assert.deepEqual(
    pages,
    all.items.map(({ metadata }) => metadata.name),
  );
  const [first] = all.items;
  const one = await landscape.request(`${records}/${first?.metadata.name}`);
  assert.deepEqual(one.json<RecordList['items'][0]>().spec, first?.spec);
  const byName = await list({ fieldSelector: `metadata.name=${first?.metadata.name}` });
  assert.deepEqual(byName.items, [first]);
  assert.equal((await list({ fieldSelector: 'metadata.name=../x' })).items.length, 0);
  assert.equal((await landscape.request(`${records}/${first?.metadata.name}?revisions=true`)).status, 405);
  assert.equal((await landscape.request(`${records}/nothing-0`)).status, 404);
  assert.equal((await landscape.request(`${records}/${encodeURIComponent('../admin.token')}`)).status, 404);
});

test('filters are fields, outcome and time; others are rejected', async () => {
  const failed = await list({ fieldSelector: 'cluster=shop,resource=configmaps,outcome=failed' });
  assert.deepEqual([failed.items.length, failed.items[0]?.spec['reason']], [1, 'AlreadyExists']);
  const named = await list({ fieldSelector: 'spec.name=two,user!=nobody' });
  assert.equal(named.items.length, 1);
  assert.equal((await list({ ...ofMaps, to: '2001-01-01T00:00:00Z' })).items.length, 0);
  assert.equal((await list({ ...ofMaps, from: '2101-01-01T00:00:00Z' })).items.length, 0);
  const wrong = [
    'fieldSelector=color%3Dred',
    'limit=100000',
    'from=yesterday',
    'before=x',
    'labelSelector=a',
    'search=a',
  ];
  for (const query of wrong) assert.equal((await landscape.request(`${records}?${query}`)).status, 400, query);
});

test('nobody writes or watches records, and other clusters have none', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    assert.equal((await landscape.request(records, { method, body: {} })).status, 405, method);
  assert.equal((await landscape.request(`${records}?watch=true`)).status, 405);
  const elsewhere = records.replace('/platform/', '/shop/');
  assert.equal((await landscape.request(elsewhere)).status, 404);
});

test('tenants, strangers and members of the platform without the role read nothing; the role is enough', async () => {
  const tenant = await createAccount(admin, 'shop', 'robot');
  await create(admin, `${rbacPath('shop')}/clusterrolebindings`, {
    ...binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [
      { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
    ]),
  });
  const operator = await createAccount(admin, 'platform', 'auditor');
  const read = async (token: string | null, path = records): Promise<number> =>
    (await landscape.request(path, { token })).status;
  assert.equal(await read(tenant.token), 401, 'the token of another cluster');
  assert.equal(await read(tenant.token, records.replace('/platform/', '/shop/')), 404);
  assert.equal(await read(null), 403);
  assert.equal(await read(operator.token), 403);
  await create(admin, `${rbacPath('platform')}/clusterrolebindings`, {
    ...binding('ClusterRoleBinding', 'ClusterRole/view', [
      { kind: 'ServiceAccount', name: 'auditor', namespace: 'default' },
    ]),
  });
  assert.equal(await read(operator.token), 403, 'those who may see workloads may not see this');
  await create(admin, `${rbacPath('platform')}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'auditor' },
    rules: [{ apiGroups: ['audit.chandlery.io'], resources: ['auditrecords'], verbs: ['get', 'list'] }],
  });
  await create(admin, `${rbacPath('platform')}/clusterrolebindings`, {
    ...binding('ClusterRoleBinding', 'ClusterRole/auditor', [
      { kind: 'ServiceAccount', name: 'auditor', namespace: 'default' },
    ]),
    metadata: { name: 'auditor' },
  });
  await eventually(async () => (await read(operator.token)) === 200, { what: 'the role to be in force' });
});

test('kubectl and chandlery show them', async () => {
  const platform = landscape.cluster('platform');
  const shown = await platform.kubectl(['get', 'auditrecords', '--field-selector', 'name=two']);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /NAME +TIME +USER +VERB +RESOURCE +OBJECT +CLUSTER +OUTCOME +CODE/);
  assert.match(shown.stdout, /create +configmaps +default\/two +shop +succeeded +201/);
  const listed = await runCli(
    ...['get', 'auditrecords', '--cluster', 'platform', '--field-selector', 'name=two'],
    ...['--kubeconfig', landscape.kubeconfig],
  );
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /create +configmaps +default\/two +shop +succeeded +201/);
  const explained = await platform.kubectl(['explain', 'auditrecords.spec.outcome']);
  assert.match(explained.stdout, /succeeded, denied/);
});

test('damaged lines are left out, and said', async () => {
  await appendFile(join(landscape.dataDir, 'audit.log'), '{"time":"2026-\nnothing\n');
  const found = await landscape.request(`${records}?${new URLSearchParams(ofMaps)}`);
  assert.equal(found.json<RecordList>().metadata.damagedLines, 2);
  assert.match(found.headers.get('warning') ?? '', /2 damaged lines/);
  assert.equal(found.json<RecordList>().items.length, 4);
});
