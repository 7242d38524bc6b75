import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { accountPath } from '../../domains/mesh/src/facade/account-route.ts';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { clusterName } from '../../domains/mesh/src/model/resource-names.ts';
import { otherMethods } from '../../domains/mesh/src/server/discovery/discovery-methods.ts';
import { TestByteCall } from '../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import { namespace, object, portName, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { askRest } from './support/mesh-rest.ts';
import { meshTable } from './support/mesh-table.ts';
import {
  certificatesPath,
  goodCsr,
  type MeshPerson,
  type MeshWorld,
  meshPeople,
  rival,
  startMeshWorld,
} from './support/mesh-world.ts';
import { corePath, expectStatus, groupPath } from './support/objects.ts';
import { mergePatch } from './support/tenants.ts';

let world: MeshWorld;
before(async () => {
  world = await startMeshWorld();
});
after(() => world?.[Symbol.asyncDispose]());

const everybody = Object.keys(meshPeople) as MeshPerson[];
const rivalName = clusterName({ tenant: rival, service: { namespace, name: 'catalog' }, port: 80 });

test('the table has every route of the mesh, and no other', () => {
  const folder = join(import.meta.dirname, '../../domains/mesh/src/facade');
  const source = readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8'));
  const routes = [...source.join('\n').matchAll(/app\.(get|post)\((?:'([^']+)'|`\$\{accountPath\}([^`]+)`)/g)];
  const declared = routes.map(
    ([, verb = '', path, rest = '']) => `${verb.toUpperCase()} ${path ?? accountPath + rest}`,
  );
  assert.deepEqual([...new Set(meshTable.map(({ route }) => route))].sort(), declared.sort());
});

test('every identity gets from every route the result of the table', async () => {
  await using one = await world.mesh.proxy({ account: 'web' });
  await using two = await world.mesh.proxy({ account: 'web', cluster: rival });
  for (const proxy of [one, two]) {
    proxy.ask('cluster', []);
    await proxy.accept('cluster');
  }
  const wrong: string[] = [];
  for (const { route, path, options = {}, expected, others = 403 } of meshTable) {
    const [method = ''] = route.split(' ');
    for (const who of everybody) {
      const answer = await world.callers[who].send(path, { ...options, method });
      const wanted = expected[who] ?? others;
      if (answer.status === wanted) continue;
      wrong.push(`${method} ${path} as ${who}: ${answer.status}, not ${wanted}: ${answer.text.slice(0, 150)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('a certificate is for the account of the path, independent of the request', async () => {
  const body = { csr: goodCsr.csr, tenant: rival, serviceAccount: 'other', identity: 'spiffe://x', trustDomain: 'x' };
  const answer = expectStatus(await world.callers.web.send(certificatesPath(tenant, 'web'), { body }), 201);
  const wanted = `spiffe://cluster.local/tenant/${tenant}/cluster/${tenant}/ns/${namespace}/sa/web`;
  const { certificate, spiffeId } = answer.json<{ certificate: string; spiffeId: string }>();
  const { subjectAltName, ca } = new X509Certificate(certificate);
  assert.deepEqual([spiffeId, subjectAltName, ca], [wanted, `URI:${wanted}`, false]);
  for (const proxyId of ['a/sa/other', '../other', '', 'x'.repeat(65)]) {
    expectStatus(
      await world.callers.web.send(certificatesPath(tenant, 'web'), { body: { csr: goodCsr.csr, proxyId } }),
      400,
    );
  }
});

describe('a certificate of one tenant', () => {
  test('gets nothing of another over state of the world, for any request', async () => {
    await using proxy = await world.mesh.proxy({ account: 'web' });
    proxy.ask('cluster', ['*', rivalName]);
    proxy.ask('endpoints', [rivalName, portName('catalog')]);
    const told = [await proxy.accept('cluster'), await proxy.accept('endpoints')];
    await proxy.handled();
    for (const { resources } of told) assert.ok(resources.every(({ name }) => !name.startsWith(`${rival}/`)));
    assert.deepEqual(
      told.map(({ resources }) => resources.some(({ name }) => name === portName('catalog'))),
      [true, true],
    );
  });

  test('cannot distinguish resources of another from missing ones over the incremental protocol', async () => {
    await using proxy = await world.mesh.proxy({ account: 'web', stream: { mode: 'delta' } });
    const nothing = portName('nothing');
    for (const type of ['cluster', 'endpoints', 'route'] as const) {
      proxy.askDelta(type, { subscribe: [rivalName, nothing] });
      const { resources, removed } = await proxy.next(type);
      assert.deepEqual([resources, [...removed].sort()], [[], [rivalName, nothing].sort()], type);
    }
  });

  test('fetches nothing of another', async () => {
    const tls = await world.mesh.certificate({ account: 'web' });
    const ask = (names: readonly string[]) =>
      askRest(world.mesh.landscape.xdsPort, tls, {
        path: '/v3/discovery:endpoints',
        body: { node: { id: 'web' }, resource_names: names },
      });
    const { status: code, text } = await ask([rivalName, portName('catalog')]);
    assert.equal(code, 200);
    assert.match(text, /10\.0\.0\.1/);
    assert.doesNotMatch(text, new RegExp(`${rival}|10\\.9\\.9\\.9`));
  });

  test('sees no proxy of another', async () => {
    await using theirs = await world.mesh.proxy({ account: 'web', cluster: rival, nodeId: 'their-proxy' });
    await using ours = await world.mesh.proxy({ account: 'web', nodeId: 'our-proxy' });
    for (const proxy of [theirs, ours]) {
      proxy.ask('cluster', []);
      await proxy.accept('cluster');
    }
    await using connection = await world.mesh.connect({ account: 'web' });
    const call = new TestByteCall(connection.connection.session, otherMethods.clientStatus);
    call.send(Buffer.alloc(0));
    const text = (await call.next()).toString('latin1');
    assert.match(text, /our-proxy/);
    assert.doesNotMatch(text, new RegExp(`their-proxy|${rival}|PRIVATE KEY`));
  });
});

describe('a proxy that contradicts its certificate', () => {
  const cases: readonly {
    readonly why: string;
    readonly nodeId: string;
    readonly metadata?: Record<string, string>;
  }[] = [
    { why: 'by its id', nodeId: 'another' },
    { why: 'by its tenant', nodeId: 'mine', metadata: { tenant: rival } },
    { why: 'by its cluster', nodeId: 'mine', metadata: { cluster: rival } },
  ];
  for (const { why, nodeId, metadata = {} } of cases) {
    test(`${why} is rejected, over gRPC and over HTTP`, async () => {
      const body = { csr: goodCsr.csr, proxyId: 'mine' };
      const { certificate, trustBundle } = expectStatus(
        await world.callers.web.send(certificatesPath(tenant, 'web'), { body }),
        201,
      ).json<{ certificate: string; trustBundle: string }>();
      const tls = { cert: certificate, key: goodCsr.privateKey, ca: trustBundle };
      await using connection = await world.mesh.connect({ account: 'web', nodeId, metadata }, tls);
      const stream = connection.open();
      stream.send({ typeUrl: typeUrls.cluster });
      assert.equal((await stream.ended(20_000)).code, status.PERMISSION_DENIED);
      const asked = { path: '/v3/discovery:clusters', body: { node: { id: nodeId, metadata } } };
      assert.equal((await askRest(world.mesh.landscape.xdsPort, tls, asked)).status, 403);
    });
  }
});

describe('what is written', () => {
  const targets = `${groupPath(tenant, 'access.smi-spec.io/v1alpha3', namespace)}/traffictargets`;
  const account = (name: string, place: string) => ({ kind: 'ServiceAccount', name, namespace: place });
  const target = (place: string) =>
    object(
      'access.smi-spec.io/v1alpha3',
      'TrafficTarget',
      { name: 'grab' },
      {
        spec: {
          destination: account('catalog', place),
          sources: [account('other', namespace)],
          rules: [{ kind: 'TCPRoute', name: 'web-to-catalog' }],
        },
      },
    );

  test('no identity grants access into another namespace, neither at once nor later', async () => {
    const { alice } = world.callers;
    expectStatus(await alice.send(targets, { body: target('bank') }), 422);
    expectStatus(await alice.send(targets, { body: target(namespace) }), 201);
    const move = mergePatch({ spec: { destination: account('catalog', 'bank') } });
    expectStatus(await alice.send(`${targets}/grab`, move), 422);
    expectStatus(await alice.send(`${targets}/grab`, { method: 'DELETE' }), 200);
  });

  test('meshes, roots, certificates and replicas are the operator’s alone', async () => {
    const wrong: string[] = [];
    const inquiries = ['meshreplicas', 'meshinquiries', 'meshinquiryanswers'];
    for (const plural of ['meshes', 'meshrootcertificates', 'meshworkloadcertificates', ...inquiries]) {
      const path = (cluster: string): string => `${groupPath(cluster, 'mesh.chandlery.io/v1alpha1')}/${plural}`;
      for (const who of everybody) {
        const read = await world.callers[who].send(path('platform'));
        const written = await world.callers[who].send(path('platform'), { body: {} });
        const elsewhere = await world.callers[who].send(path(tenant));
        const isRefused = [read, written].every(answer => [401, 403].includes(answer.status));
        const isLetIn = read.status === 200 && written.status === 422;
        const isFine = (who === 'operator' ? isLetIn : isRefused) && elsewhere.status > 400;
        if (!isFine) wrong.push(`${plural} as ${who}: ${read.status} ${written.status} ${elsewhere.status}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('only the operator reads the key of a root', async () => {
    const path = `${corePath('platform', 'chandlery-mesh')}/secrets/mesh-root-root-1`;
    for (const who of everybody) {
      const { status: code } = await world.callers[who].send(path);
      assert.equal(code === 200, who === 'operator', who);
    }
  });
});

test('a certificate of an untrusted root gives no access', async () => {
  const { operator } = world.callers;
  const roots = `${groupPath('platform', 'mesh.chandlery.io/v1alpha1')}/meshrootcertificates`;
  const old = await world.mesh.certificate({ account: 'web' });
  const codeWith = async ({ cert, key }: typeof old): Promise<string> => {
    // Its own trust bundle does not matter here.
    const { ca } = await world.mesh.certificate({ account: 'web' });
    const tls = { cert, key, ca };
    await using connection = await world.mesh.connect({ account: 'web' }, tls);
    const stream = connection.open();
    stream.send({ typeUrl: typeUrls.cluster });
    const response = await stream.waitFor(([first]) => first, 20_000).catch(() => undefined);
    return response ? 'told' : (status[stream.end?.code ?? -1] ?? 'nothing');
  };
  assert.equal(await codeWith(old), 'told');
  const spec = { role: 'passive', trustDomain: 'cluster.local' };
  const root = object('mesh.chandlery.io/v1alpha1', 'MeshRootCertificate', { name: 'root-2' }, { spec });
  expectStatus(await operator.send(roots, { body: root }), 201);
  const isReady = async (): Promise<boolean> => (await operator.send(`${roots}/root-2`)).text.includes('"fingerprint"');
  await eventually(isReady, { timeoutMs: 30_000 });
  const setRole = async (name: string, role: string): Promise<void> =>
    void expectStatus(await operator.send(`${roots}/${name}`, mergePatch({ spec: { role } })), 200);
  await setRole('root-2', 'active');
  await setRole('root-1', 'passive');
  assert.equal(await codeWith(old), 'told', 'it is believed as long as its root is');
  await setRole('root-1', 'inactive');
  await eventually(async () => (await codeWith(old)) === 'UNAUTHENTICATED', { timeoutMs: 30_000 });
  assert.equal(await codeWith(await world.mesh.certificate({ account: 'web' })), 'told');
});
