import assert from 'node:assert/strict';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { typeUrls } from '../../model/resource.ts';
import { type ConnectOptions, startTestServer, type TestServer } from '../test-server.ts';

interface Asked extends ConnectOptions {
  readonly path?: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
}

const node = { id: 'proxy-1' };

async function ask(mesh: TestServer, asked: Asked): Promise<Answered> {
  const { path = '/v3/discovery:clusters', method = 'POST', body = { node }, headers = {} } = asked;
  const call = request({ ...mesh.address, ...mesh.tls(asked), path, method, headers, agent: false });
  const answered = new Promise<Answered>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', response => {
      text(response).then(read => resolve({ status: response.statusCode, body: read }), reject);
    });
  });
  call.end(typeof body === 'string' ? body : JSON.stringify(body));
  return answered;
}

test('resources are fetched as JSON, and not again while nothing is new', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const first = await ask(mesh, {});
  assert.equal(first.status, 200);
  const version = mesh.view.version('cluster');
  assert.deepEqual(JSON.parse(first.body), {
    version_info: version,
    type_url: typeUrls.cluster,
    nonce: version,
    resources: [{ '@type': typeUrls.cluster, name: 'a' }],
  });
  assert.deepEqual(await ask(mesh, { body: { node, version_info: version } }), { status: 304, body: '' });
  assert.deepEqual(await ask(mesh, { body: { node, versionInfo: version } }), { status: 304, body: '' });
  mesh.view.set('cluster', 'b');
  assert.equal((await ask(mesh, { body: { node, version_info: version } })).status, 200);
});

test('only named endpoints are fetched, in either spelling', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('endpoints', 'a');
  mesh.view.set('endpoints', 'b');
  for (const names of [{ resource_names: ['b'] }, { resourceNames: ['b'] }]) {
    const { body } = await ask(mesh, { path: '/v3/discovery:endpoints', body: { node, ...names } });
    assert.deepEqual((JSON.parse(body) as { resources: unknown }).resources, [
      { '@type': typeUrls.endpoints, cluster_name: 'b' },
    ]);
  }
  const { body } = await ask(mesh, { path: '/v3/discovery:endpoints' });
  assert.deepEqual((JSON.parse(body) as { resources: unknown }).resources, []);
});

test('a client that prefers to wait gets a response after a change', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const body = { node, version_info: mesh.view.version('cluster') };
  const waiting = ask(mesh, { body, headers: { prefer: 'wait=20' } });
  await eventually(() => mesh.view.listenerCount > 0);
  mesh.view.set('cluster', 'b');
  assert.equal((await waiting).status, 200);
});

test('a client that waits for a mesh that is reloaded is asked to try again', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const body = { node, version_info: mesh.view.version('cluster') };
  const waiting = ask(mesh, { body, headers: { prefer: 'wait=20' } });
  await eventually(() => mesh.view.listenerCount > 0);
  mesh.registry.reloadMeshes();
  assert.equal((await waiting).status, 503);
  assert.equal(mesh.view.listenerCount, 0);
});

test('a wait without a change ends with 304', async () => {
  await using mesh = await startTestServer({ limits: { maxRestWaitMs: 10 } });
  mesh.view.set('cluster', 'a');
  const body = { node, version_info: mesh.view.version('cluster') };
  assert.equal((await ask(mesh, { body, headers: { prefer: 'wait=20' } })).status, 304);
});

const refusals: readonly { why: string; asked: Asked; status: number }[] = [
  { why: 'an unknown path', asked: { path: '/v3/discovery:runtime' }, status: 404 },
  { why: 'another method', asked: { method: 'GET', body: '' }, status: 404 },
  { why: 'no body', asked: { body: '' }, status: 400 },
  { why: 'a body that is not JSON', asked: { body: '{' }, status: 400 },
  { why: 'a body that is a list', asked: { body: [] }, status: 400 },
  { why: 'names that are no list', asked: { body: { node, resource_names: 'a' } }, status: 400 },
  { why: 'no node id', asked: { body: {} }, status: 400 },
  { why: 'another type than that of the path', asked: { body: { node, type_url: typeUrls.route } }, status: 400 },
  { why: 'no certificate', asked: { certificate: 'none' }, status: 401 },
  { why: 'the id of another proxy', asked: { body: { node: { id: 'x' } } }, status: 403 },
  { why: 'another tenant', asked: { body: { node: { ...node, metadata: { tenant: 'x' } } } }, status: 403 },
  { why: 'too large a body', asked: { body: ' '.repeat(2_000) }, status: 413 },
];

for (const { why, asked, status } of refusals) {
  test(`a request with ${why} gets ${status}`, async () => {
    await using mesh = await startTestServer({ limits: { maxRequestBytes: 1_000 } });
    const answered = await ask(mesh, asked);
    assert.equal(answered.status, status);
    assert.match((JSON.parse(answered.body) as { message: string }).message, /\w+ \w+/);
  });
}

test('a client whose mesh is not ready in time gets 503', async () => {
  await using mesh = await startTestServer({ limits: { readyTimeoutMs: 20 } });
  mesh.registry.addMesh('slow', { isReady: false });
  assert.equal((await ask(mesh, { identity: { tenant: 'slow' } })).status, 503);
});
