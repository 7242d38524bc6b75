import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';

/** A server that says what it can see. */
const spy = `
const http = require('node:http');
const fs = require('node:fs');
const read = path => { try { return fs.readFileSync(path, 'utf8').slice(0, 200); } catch (error) { return error.code; } };
http.createServer(async (req, res) => {
  const pieces = [];
  for await (const piece of req) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  const { files = [], urls = [] } = text === '' ? {} : JSON.parse(text);
  const statuses = [];
  for (const url of urls) statuses.push(await fetch(process.env.IVCAP_BASE_URL + url).then(({ status }) => status, String));
  const processes = fs.readdirSync('/proc').filter(name => /^\\d+$/.test(name)).length;
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ headers: req.headers, url: req.url, env: process.env, files: files.map(read), statuses, processes }));
}).listen(process.env.PORT, '127.0.0.1');
`;

interface Seen {
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly statuses: readonly unknown[];
  readonly processes: number;
}

async function createService(landscape: TestLandscape, $schema: string, namespace: string): Promise<string> {
  const controller = { $schema, image: 'node:24', command: ['node', '-e', spy] };
  const body = { name: 'spy', description: 'a spy', parameters: [], controller };
  const made = await landscape.request('/1/services2', { body, headers: { 'x-chandlery-namespace': namespace } });
  assert.equal(made.status, 201, made.text);
  return made.json<{ id: string }>().id;
}

async function createNamespace(landscape: TestLandscape, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  assert.equal((await landscape.request('/clusters/onboarding/api/v1/namespaces', { body })).status, 201);
}

test('the process of a service sees neither files nor tokens of the landscape, nor what other tenants have', async () => {
  await using landscape = await startTestLandscape({ flags: ['--local-clusters', 'on'] });
  for (const name of ['acme', 'other']) await createNamespace(landscape, name);
  const upload = { body: 'theirs', headers: { 'x-chandlery-namespace': 'other', 'content-type': 'text/plain' } };
  const { id: artifact } = (await landscape.request('/1/artifacts', upload)).json<{ id: string }>();
  const id = await createService(landscape, 'urn:ivcap:schema:service.rest.1', 'acme');
  const files = ['admin.token', 'admin.kubeconfig', 'orders/data-proxy.json'].map(name =>
    join(landscape.dataDir, name),
  );
  const job = await landscape.request(`/1/services2/${id}/jobs`, {
    body: { files, urls: [`/${artifact}`, '/next_job', '/1/secret?secret-name=x', '/readyz'] },
    headers: { timeout: '60', 'x-chandlery-namespace': 'acme' },
  });
  assert.equal(job.status, 200, job.text);
  const seen = job.json<Seen>();
  assert.deepEqual(seen.files, ['ENOENT', 'ENOENT', 'ENOENT']);
  assert.deepEqual(seen.statuses, [404, 400, 404, 200]);
  assert.ok(seen.processes > 0 && seen.processes < 10, String(seen.processes));
  assert.equal(seen.env['KUBECONFIG'], undefined);
  assert.ok(!job.text.includes(landscape.token));
});

test('the reverse proxy reaches the process of the service alone, whatever a client asks for', async () => {
  await using landscape = await startTestLandscape({ flags: ['--local-clusters', 'on'] });
  await createNamespace(landscape, 'acme');
  const id = await createService(landscape, 'urn:ivcap:schema.service.service-proxy.1', 'acme');
  const proxy = `/1/services2/${id}/proxy`;
  await eventually(async () => (await landscape.request(`${proxy}/`)).status === 200, {
    what: 'the process answers',
    timeoutMs: 60_000,
  });
  const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', 'proxy-authorization': 'x' };
  for (const [path, url] of [
    ['//169.254.169.254/latest/meta-data', '//169.254.169.254/latest/meta-data'],
    ['/http://127.0.0.1:1/', '/http://127.0.0.1:1/'],
    ['/@127.0.0.1:1/', '/@127.0.0.1:1/'],
  ] as const) {
    const answer = await landscape.request(`${proxy}${path}`, { headers });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    const seen = answer.json<Seen>();
    assert.equal(seen.url, url);
    assert.ok(!answer.text.includes(landscape.token));
    assert.equal(seen.headers['x-forwarded-host'], new URL(landscape.url).host);
    for (const name of ['authorization', 'forwarded', 'proxy-authorization'])
      assert.equal(seen.headers[name], undefined);
  }
});
