import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueCertificate } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../model/resource.ts';
import type { TestMeshAuthority } from './test-mesh-authority.ts';
import { type ClientCertificate, TestRoot } from './test-mesh-authority.ts';
import { type ConnectOptions, startTestServer, testIdentity } from './test-server.ts';

function withUris(authority: TestMeshAuthority, uris: readonly string[]): ClientCertificate {
  const request = { commonName: 'x', uris, usages: ['client'] as const, now: new Date() };
  const issued = issueCertificate(authority.root.signer, request);
  return { cert: issued.certificatePem, key: issued.privateKeyPem };
}

const spiffe = 'spiffe://cluster.local/tenant/acme/cluster/eu-1/ns/shop/sa/web';
const longAgo = new Date(Date.now() - 3 * 60 * 60 * 1000);

const refusals: readonly {
  why: string;
  options: (authority: TestMeshAuthority) => ConnectOptions;
  code: keyof typeof status;
  message: RegExp;
}[] = [
  {
    why: 'without a certificate',
    options: () => ({ certificate: 'none' }),
    code: 'UNAUTHENTICATED',
    message: /has no certificate/,
  },
  {
    why: 'with the certificate of a foreign root',
    options: () => ({ certificate: new TestRoot().issue(testIdentity) }),
    code: 'UNAUTHENTICATED',
    message: /no root of the mesh/,
  },
  {
    why: 'with an expired certificate',
    options: authority => ({ certificate: authority.root.issue(testIdentity, { now: longAgo }) }),
    code: 'UNAUTHENTICATED',
    message: /ended at/,
  },
  {
    why: 'with a certificate without an identity',
    options: authority => ({ certificate: withUris(authority, []) }),
    code: 'UNAUTHENTICATED',
    message: /exactly one URI/,
  },
  {
    why: 'with a certificate of two identities',
    options: authority => ({ certificate: withUris(authority, [spiffe, `${spiffe}2`]) }),
    code: 'UNAUTHENTICATED',
    message: /exactly one URI/,
  },
  {
    why: 'with a URI that is no identity',
    options: authority => ({ certificate: withUris(authority, ['https://example.org']) }),
    code: 'UNAUTHENTICATED',
    message: /not an identity/,
  },
  {
    why: 'of a foreign trust domain',
    options: () => ({ identity: { trustDomain: 'elsewhere' } }),
    code: 'UNAUTHENTICATED',
    message: /elsewhere/,
  },
  {
    why: 'with the id of another proxy',
    options: () => ({ node: { id: 'proxy-2' } }),
    code: 'PERMISSION_DENIED',
    message: /node\.id/,
  },
  {
    why: 'that claims another tenant',
    options: () => ({ node: { metadata: { tenant: 'umbrella' } } }),
    code: 'PERMISSION_DENIED',
    message: /tenant/,
  },
  {
    why: 'that claims another cluster',
    options: () => ({ node: { metadata: { cluster: 'us-1' } } }),
    code: 'PERMISSION_DENIED',
    message: /cluster/,
  },
  {
    why: 'of a tenant without a mesh',
    options: () => ({ identity: { tenant: 'umbrella' } }),
    code: 'PERMISSION_DENIED',
    message: /no mesh "umbrella"/,
  },
  {
    why: 'without a node id',
    options: () => ({ node: { id: '' } }),
    code: 'INVALID_ARGUMENT',
    message: /node\.id/,
  },
  {
    why: 'whose workload does not exist',
    options: () => ({ identity: { serviceAccount: 'ghost' } }),
    code: 'PERMISSION_DENIED',
    message: /does not exist/,
  },
];

for (const { why, options, code, message } of refusals) {
  test(`a client ${why} is rejected with ${code}`, async () => {
    await using mesh = await startTestServer({ isKnownProxy: ({ serviceAccount }) => serviceAccount !== 'ghost' });
    mesh.view.set('cluster', 'a');
    const connection = await mesh.connect(options(mesh.authority));
    const stream = connection.open();
    stream.send({ typeUrl: typeUrls.cluster });
    const end = await stream.ended();
    assert.deepEqual([end.code, stream.responses.length], [status[code], 0]);
    assert.match(end.message, message);
  });
}

test('a client whose node agrees with its certificate is accepted', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const connection = await mesh.connect({ node: { metadata: { tenant: 'acme', cluster: 'eu-1' } } });
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.cluster });
  assert.equal((await stream.next()).resources.length, 1);
});

test('a client of one tenant gets nothing of another, for any request', async () => {
  await using mesh = await startTestServer();
  mesh.registry.addMesh('umbrella').set('endpoints', 'umbrella/lab/virus|80');
  const stream = (await mesh.connect()).open({ mode: 'delta' });
  stream.sendDelta({ typeUrl: typeUrls.endpoints, subscribe: ['umbrella/lab/virus|80'] });
  const { resources, removed } = await stream.next();
  assert.deepEqual([resources, removed], [[], ['umbrella/lab/virus|80']]);
});

test('no client gets an empty view: it waits until its mesh is synced', async () => {
  await using mesh = await startTestServer();
  const view = mesh.registry.addMesh('slow', { isReady: false });
  const stream = (await mesh.connect({ identity: { tenant: 'slow' } })).open();
  stream.send({ typeUrl: typeUrls.cluster });
  stream.send({ typeUrl: typeUrls.endpoints, names: ['a'] });
  view.change(edit => {
    edit.set('cluster', 'a');
    edit.set('endpoints', 'a');
  });
  await eventually(() => mesh.registry.connected.size === 0);
  mesh.registry.makeReady('slow');
  const types = [(await stream.next()).typeUrl, (await stream.next()).typeUrl];
  assert.deepEqual(types, [typeUrls.cluster, typeUrls.endpoints]);
});

test('a client whose mesh is not synced in time is asked to try again', async () => {
  await using mesh = await startTestServer({ limits: { readyTimeoutMs: 20 } });
  mesh.registry.addMesh('slow', { isReady: false });
  const stream = (await mesh.connect({ identity: { tenant: 'slow' } })).open();
  stream.send({ typeUrl: typeUrls.cluster });
  const end = await stream.ended();
  assert.deepEqual([end.code, stream.responses.length], [status.UNAVAILABLE, 0]);
});

test('a client that disconnects while it waits is not registered later', async () => {
  await using mesh = await startTestServer();
  mesh.registry.addMesh('slow', { isReady: false });
  const connection = await mesh.connect({ identity: { tenant: 'slow' } });
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.cluster });
  await eventually(async () => /chandlery_mesh_connections 1/.test(await mesh.metrics.render()));
  stream.close();
  await connection[Symbol.asyncDispose]();
  await eventually(async () => /chandlery_mesh_connections 0/.test(await mesh.metrics.render()));
  mesh.registry.makeReady('slow');
  assert.equal(mesh.registry.connected.size, 0);
  assert.equal(mesh.streams.count, 0);
});

test('beyond its capacity the server sends clients away, until a place is free', async () => {
  await using mesh = await startTestServer({ limits: { maxConnections: 1 } });
  mesh.view.set('cluster', 'a');
  const first = await mesh.connect();
  const stream = first.open();
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  const second = await mesh.connect({ identity: { proxyId: 'proxy-2' } });
  const refused = second.open();
  refused.send({ typeUrl: typeUrls.cluster });
  assert.equal((await refused.ended()).code, status.RESOURCE_EXHAUSTED);
  await first[Symbol.asyncDispose]();
  await eventually(async () => {
    const retried = second.open();
    retried.send({ typeUrl: typeUrls.cluster });
    return (await retried.next()).resources.length === 1;
  });
});

test('of two connections of the same proxy the newer stays', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const [older, newer] = [(await mesh.connect()).open(), (await mesh.connect()).open()];
  older.send({ typeUrl: typeUrls.cluster });
  await older.next();
  newer.send({ typeUrl: typeUrls.cluster });
  await newer.next();
  assert.equal((await older.ended()).code, status.ABORTED);
  await eventually(() => mesh.streams.count === 1);
  assert.equal(newer.end, undefined);
});

test('streams of different types, and several on one connection, do not displace each other', async () => {
  await using mesh = await startTestServer();
  mesh.view.change(edit => {
    edit.set('cluster', 'a');
    edit.set('secret', 'one');
    edit.set('secret', 'two');
  });
  const [one, other] = [await mesh.connect(), await mesh.connect()];
  const streams = [one.open({ only: 'cluster' }), other.open({ only: 'secret' }), other.open({ only: 'secret' })];
  streams.forEach((stream, index) => {
    stream.send({ names: index === 0 ? [] : [index === 1 ? 'one' : 'two'] });
  });
  for (const stream of streams) assert.equal((await stream.next()).resources.length, 1);
  assert.equal(mesh.streams.count, 3);
});
