import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { proxyService } from './support/hosted-server.ts';
import { type Account, accounts, basicService, missing, setStage } from './support/stage.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly unknown[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'];
const kinds = ['service', 'artifact', 'collection', 'queue', 'aspect'] as const;

describe('the orders API', () => {
  const stage = setStage();
  const { ask, expect } = stage;
  let document: Document;
  const records = new Map<string, string>();

  before(async () => {
    document = JSON.parse((await expect(200, 'GET', '/openapi/orders.json', { token: null })).text) as Document;
    records.set('services2', (await expect(201, 'POST', '/1/services2', { body: basicService() })).body.id);
    records.set('services', records.get('services2') ?? '');
    const proxy = { ...basicService(), ...proxyService() };
    records.set('proxy', (await expect(201, 'POST', '/1/services2', { body: proxy })).body.id);
    const artifact = await expect(201, 'POST', '/1/artifacts', { body: 'x', headers: { 'x-collection': 'c' } });
    records.set('artifacts', artifact.body.id);
    records.set('collections', (artifact.body['collections'] as string[])[0] ?? '');
    records.set('queues', (await expect(201, 'POST', '/1/queues', { body: { name: 'q' } })).body.id);
    const aspect = await expect(201, 'POST', '/1/aspects?entity=urn:x:y&schema=urn:x:z', { body: {} });
    records.set('aspects', aspect.body.id);
    const service = records.get('services2') ?? '';
    const parameters = [{ name: 'msg', value: 'hi' }];
    records.set('orders', (await expect(200, 'POST', '/1/orders', { body: { service, parameters } })).body.id);
    const job = await expect(202, 'POST', `/1/services2/${service}/jobs`, { body: { msg: 'hi' } });
    records.set('jobs', String(job.body['job-id']));
  });

  /** The address of a route, of a record of the tenant `acme`. */
  const addressOf = (template: string): string =>
    template
      .replace('{id}', records.get(template.includes('/proxy/') ? 'proxy' : (template.split('/')[2] ?? '')) ?? 'none')
      .replace('{path}', 'x')
      .replace('{job}', records.get('jobs') ?? 'none')
      .replace(/\/events$/, '/events?max-messages=1');

  /** Nothing runs processes here. */
  const isProxied = (template: string, status: number): boolean => template.includes('/proxy/') && status === 503;

  /** A secret needs its name, and a job that has not ended has no output. */
  const isFound = (template: string, status: number): boolean =>
    status === 200 ||
    isProxied(template, status) ||
    template === '/1/secrets' ||
    (status === 204 && template.endsWith('/output'));

  test('documents what is served and nothing else', async () => {
    const operationIds = new Set<string>();
    for (const [template, item] of Object.entries(document.paths)) {
      for (const { operationId } of Object.values(item)) {
        assert.ok(!operationIds.has(operationId), operationId);
        operationIds.add(operationId);
      }
      const address = template.replace('{id}', 'none');
      for (const method of methods) {
        const { status } = await ask(method.toUpperCase(), address);
        assert.equal(status === 405, item[method] === undefined, `${method} ${template}: ${status}`);
      }
    }
    const text = JSON.stringify(document);
    for (const [, part = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/([\w-]+)/g))
      assert.ok(document.components[part]?.[name] !== undefined, `${part}/${name}`);
  });

  test('rejects those without a valid token with 401 and no body, on all paths', async () => {
    for (const [template, item] of Object.entries(document.paths))
      for (const [method, { security }] of Object.entries(item))
        for (const token of [null, 'garbage']) {
          if (security.length === 0) continue;
          const { status, text } = await ask(method.toUpperCase(), addressOf(template), { token });
          assert.deepEqual([status, text], [401, ''], `${method} ${template} ${token}`);
        }
    const { status, text } = await ask('GET', '/1/nowhere', { token: null });
    assert.deepEqual([status, text], [401, '']);
  });

  test('gives each identity what its roles allow, on every route', async () => {
    const writes = new Set(['post', 'put', 'patch', 'delete']);
    for (const [template, item] of Object.entries(document.paths))
      for (const [method, { security }] of Object.entries(item)) {
        if (security.length === 0 || method === 'head') continue;
        const isWrite = writes.has(method) || template.endsWith('/messages');
        for (const account of accounts) {
          // Others would find nothing afterwards.
          if (account === 'acme/robot' && method === 'delete') continue;
          const { status, text } = await ask(method.toUpperCase(), addressOf(template), {
            token: stage.token(account),
          });
          const why = `${account}: ${method} ${template}: ${status} ${text}`;
          const isForbidden = account === 'acme/unbound' || (account === 'acme/reader' && isWrite);
          if (isForbidden) assert.equal(status, 403, why);
          else if (account === 'other/robot' && template.includes('{id}')) assert.equal(status, 404, why);
          else if (method === 'get') assert.ok(isFound(template, status), why);
          else assert.ok(isProxied(template, status) || (status !== 403 && status < 500), why);
          if (status >= 400) assert.ok((JSON.parse(text) as { message: string }).message.length > 0, why);
        }
      }
  });

  test('has JSON with a message in every error', async () => {
    const cases: readonly (readonly [method: string, path: string, status: number, code: string])[] = [
      ['GET', '/1/nowhere', 404, 'not-found'],
      ['GET', '/1/', 404, 'not-found'],
      ['PATCH', '/1/services2', 405, 'method-not-allowed'],
      ...kinds.map(kind => ['GET', `/1/${kind}s/${missing(kind)}`, 404, 'not-found'] as const),
      ['GET', '/1/services2?limit=99', 400, 'bad-request'],
      ['GET', '/1/services2/%ff', 400, 'bad-request'],
    ];
    for (const [method, path, status, code] of cases) {
      const answer = await expect(status, method, path);
      assert.equal(answer.body.code, code, path);
      assert.equal(typeof answer.body.message, 'string');
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    }
    const { headers } = await ask('PATCH', '/1/services2');
    assert.equal(headers.get('allow'), 'GET, HEAD, POST');
    const large = await expect(413, 'POST', '/1/services2', {
      body: basicService({ name: 'x'.repeat(3 * 1024 * 1024) }),
    });
    assert.equal(large.body.code, 'too-large');
  });

  test('lets the administrator create in the namespace default, or in another one, and control all', async () => {
    const admin = { token: stage.landscape.token };
    const made = await expect(201, 'POST', '/1/queues', { ...admin, body: { name: 'of-admin' } });
    const uuid = made.body.id.split(':').at(-1);
    const object = await stage.kube('GET', `/apis/orders.chandlery.io/v1alpha1/namespaces/default/queues/${uuid}`);
    assert.equal(object.status, 200);
    await expect(404, 'GET', `/1/queues/${made.body.id}`);
    const headers = { 'x-chandlery-namespace': 'acme' };
    const theirs = await expect(201, 'POST', '/1/queues', { ...admin, headers, body: { name: 'given' } });
    await expect(200, 'GET', `/1/queues/${theirs.body.id}`);
    await expect(204, 'DELETE', `/1/queues/${theirs.body.id}`, admin);
    const token: Account = 'acme/robot';
    await expect(403, 'GET', '/1/queues', { token: stage.token(token), headers: { 'x-chandlery-namespace': 'other' } });
  });

  test('has the role of consumers from the start', async () => {
    const { body } = await stage.kube('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/orders-consumer');
    assert.deepEqual((body['rules'] as { apiGroups: string[] }[])[0]?.apiGroups, ['orders.chandlery.io']);
  });

  test('lets consumers write records with kubectl, but no statuses and no history', async () => {
    const group = '/clusters/onboarding/apis/orders.chandlery.io/v1alpha1/namespaces/acme';
    const { body } = await expect(201, 'POST', '/1/artifacts', { body: 'mine' });
    const path = `${group}/artifacts/${body.id.split(':').at(-1)}`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    await expect(200, 'PATCH', path, { headers, body: { spec: { name: 'renamed' } } });
    assert.equal((await expect(200, 'GET', `/1/artifacts/${body.id}`)).body.name, 'renamed');
    const stolen = { status: { digest: '0'.repeat(64) } };
    await expect(403, 'PATCH', `${path}/status`, { headers, body: stolen });
    await expect(200, 'PATCH', path, { headers, body: stolen });
    assert.equal((await expect(200, 'GET', `/1/artifacts/${body.id}`)).body['etag'], body['etag']);
    const entry = {
      apiVersion: 'orders.chandlery.io/v1alpha1',
      kind: 'HistoryEntry',
      metadata: { name: 'x' },
      spec: {},
    };
    await expect(403, 'POST', `${group}/historyentries`, { body: entry });
  });

  test('has metrics of records and bytes', async () => {
    const { text } = await expect(200, 'GET', '/metrics', { token: stage.landscape.token });
    assert.match(text, /chandlery_orders_records\{kind="queues"\} [1-9]/);
    assert.match(text, /chandlery_orders_bytes\{of="artifacts"\} \d/);
  });
});
