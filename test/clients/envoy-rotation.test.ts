import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { HttpClient } from '@chandlery/client';
import { findCondition } from '@chandlery/runtime';
import { eventually, findEnvoy } from '@chandlery/testing';
import { startRootRotation } from '../../domains/mesh/src/certificates/start-root-rotation.ts';
import { type MeshReplica, meshReplicas } from '../../domains/mesh/src/kinds/mesh-replica.ts';
import { type MeshRootCertificate, meshRootCertificates } from '../../domains/mesh/src/kinds/mesh-root-certificate.ts';
import { tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { CallLoad } from './support/call-load.ts';
import type { Envoy } from './support/envoy.ts';
import { type MachineMesh, startMachineMesh } from './support/machine-mesh.ts';

const found = await findEnvoy();

/** The whole rotation, with the default polling interval of agents. */
const rotationTimeoutMs = 120_000;
const callsBefore = 100;

/** The roles of the old and of the new root, in the order of the steps. */
const stages = ['active,inactive', 'active,passive', 'active,active', 'passive,active', 'inactive,active', 'active'];

/** The sequence of roles until the rotation is complete, without repetitions. */
async function watchRotation(platform: HttpClient, name: string): Promise<readonly string[]> {
  const seen = new Set<string>();
  const isComplete = async (): Promise<boolean> => {
    const { items } = await platform.list<MeshRootCertificate>(meshRootCertificates.ref);
    seen.add(items.map(({ spec }) => spec.role).join());
    const fresh = items.find(({ metadata }) => metadata.name === name) ?? assert.fail();
    const condition = findCondition(fresh, 'Rotated');
    assert.notEqual(condition?.reason, 'TimedOut', condition?.message ?? '');
    return condition?.status === 'True';
  };
  await eventually(isComplete, { timeoutMs: rotationTimeoutMs, pauseMs: 100, what: 'the root to be exchanged' });
  return [...seen];
}

describe('The root of trust is exchanged under load', { skip: found.path === undefined && found.reason }, () => {
  let world: MachineMesh;
  let platform: HttpClient;
  const envoys = (): readonly (readonly [string, Envoy])[] => [
    ['web-1', world.caller],
    ...world.machines.map(({ id, envoy }) => [id, envoy] as const),
  ];
  /** A TCP port: each call is a handshake between two Envoys. */
  const load = (): CallLoad =>
    new CallLoad({ ...world.books, path: '/', concurrency: 2, isEachConnected: true, pauseMs: 10 });
  const serialOf = async (nodeId: string): Promise<string> =>
    new X509Certificate(await readFile(`${world.folderOf(nodeId)}/workload-cert.pem`)).serialNumber.toLowerCase();

  before(async () => {
    world = await startMachineMesh({ binary: found.path ?? '', count: 2, portName: 'raw', hasAgents: true });
    platform = world.mesh.clientOf('platform');
    const isServed = async (): Promise<boolean> => {
      await using calls = load();
      await calls.more(10);
      return calls.failed === 0;
    };
    await eventually(isServed, { timeoutMs: 30_000, what: 'books to be served' });
  });
  after(() => world?.[Symbol.asyncDispose]());

  test('within two minutes, step by step, and no call fails', async () => {
    const before = new Map(await Promise.all(envoys().map(async ([id]) => [id, await serialOf(id)] as const)));
    await using calls = load();
    await calls.more(callsBefore);
    const { metadata } = await startRootRotation(platform);
    const seen = await watchRotation(platform, metadata.name ?? '');
    assert.deepEqual(
      seen,
      stages.filter(stage => seen.includes(stage)),
      'in this order',
    );
    for (const stage of ['active,passive', 'passive,active', 'active']) assert.ok(seen.includes(stage), stage);
    await calls.more(callsBefore);
    assert.equal(calls.failed, 0, `${calls.failures} of ${calls.calls} calls failed`);
    for (const [id, envoy] of envoys()) {
      const serial = await serialOf(id);
      assert.notEqual(serial, before.get(id), id);
      assert.ok((await envoy.serials()).includes(serial), `${id} uses the certificate in its folder`);
    }
  });

  test('all are connected by certificates of the new root', async () => {
    const [root] = (await platform.list<MeshRootCertificate>(meshRootCertificates.ref)).items;
    const isSettled = async (): Promise<boolean> => {
      const { items } = await platform.list<MeshReplica>(meshReplicas.ref);
      const roots = items.flatMap(({ spec }) => spec.roots);
      assert.deepEqual(
        roots.map(({ fingerprint }) => fingerprint),
        [root?.status?.fingerprint],
      );
      return roots[0]?.nodeIds.length === envoys().length;
    };
    await eventually(isSettled, { timeoutMs: 20_000, what: 'all to be connected' });
  });

  test('no key has left its machine: each Envoy has its own', async () => {
    const keys = await Promise.all(envoys().map(([id]) => readFile(`${world.folderOf(id)}/key.pem`, 'utf8')));
    assert.equal(new Set(keys).size, envoys().length);
    const { landscape } = world.mesh;
    const places: Record<string, string> = { 'what the server printed': landscape.process.output() };
    for (const [id, envoy] of envoys()) {
      places[`the dump of ${id}`] = (await envoy.config()).text;
      places[`what ${id} was told`] = (await landscape.request(`/mesh/v1/meshes/${tenant}/proxies/${id}`)).text;
      places[`what ${id} printed`] = envoy.log();
    }
    const cluster = landscape.cluster('platform');
    const kinds = await cluster.kubectl(['api-resources', '--api-group', 'mesh.chandlery.io', '-o', 'name']);
    for (const kind of kinds.stdout.trim().split('\n'))
      places[kind] = (await cluster.kubectl(['get', kind, '-A', '-o', 'yaml'])).stdout;
    const secrets = keys.map(key => key.split('\n')[1] ?? assert.fail());
    for (const [place, text] of Object.entries(places)) {
      assert.ok(text.length > 0, place);
      assert.doesNotMatch(text, /PRIVATE KEY/, place);
      for (const secret of secrets) assert.ok(!text.includes(secret), place);
    }
  });
});
