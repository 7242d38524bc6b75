import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { findCondition } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { TestDirectory } from '../../catalog/test-directory.ts';
import { TestTopology } from '../../catalog/test-topology.ts';
import type { OpenMesh } from '../../directory/open-mesh.ts';
import { type Mesh, meshes } from '../../kinds/mesh.ts';
import { meshReplicas } from '../../kinds/mesh-replica.ts';
import { startMeshController } from './start-mesh-controller.ts';

const proxiesOf = (name: string, count: number) => ({
  trustVersion: '1',
  proxies: count,
  waitingFor: [],
  roots: [],
  meshes: [{ name, proxies: count }],
});

test('the status of a mesh shows whether it can be read, and its size', async () => {
  await using plane = await startTestPlane({ kinds: [meshes.declaration, meshReplicas.declaration] });
  const client = plane.connect('platform');
  const topology = new TestTopology();
  const services = new TestDirectory();
  services.declare('shop/web', 80);
  const provider = { staleReason: undefined as string | undefined };
  const state: { failure?: Error } = { failure: new ChandleryError('ClusterNotFound', 'there is no cluster "x"') };
  const registry = {
    mesh: async () => {
      if (state.failure) throw state.failure;
      return { catalog: { topology, services, listEndpointsProviders: () => [provider] } } as unknown as OpenMesh;
    },
  };
  await client.create(meshes.ref, meshes.object({ name: 'acme' }, { clusters: [{ name: 'x' }] }));
  await client.create(meshReplicas.ref, meshReplicas.object({ name: 'r1' }, proxiesOf('acme', 2)));
  await client.create(meshReplicas.ref, meshReplicas.object({ name: 'r2' }, proxiesOf('acme', 3)));
  await client.create(meshReplicas.ref, meshReplicas.object({ name: 'r3' }, proxiesOf('other', 5)));
  await using _controller = startMeshController({ client, registry, checkIntervalMs: 20, logger: silentLogger });

  const until = (reason: string): Promise<Mesh> =>
    eventually(async () => {
      const mesh = await client.get<Mesh>({ ...meshes.ref, name: 'acme' });
      return findCondition(mesh, 'Ready')?.reason === reason ? mesh : undefined;
    });
  const unreadable = await until('Unreadable');
  assert.equal(findCondition(unreadable, 'Ready')?.message, 'there is no cluster "x"');
  assert.equal(unreadable.status?.proxies, 5);
  delete state.failure;
  const read = await until('Read');
  assert.deepEqual([read.status?.services, findCondition(read, 'Ready')?.status], [1, 'True']);
  topology.missingKinds = ['trafficsplits.split.smi-spec.io/v1alpha4'];
  const without = findCondition(await until('KindsMissing'), 'Ready');
  assert.equal(without?.status, 'True');
  assert.match(without?.message ?? '', /does not serve trafficsplits\.split\.smi-spec\.io\/v1alpha4: .*CRDs/);
  provider.staleReason = 'the API of "x" does not answer';
  assert.match(findCondition(await until('Stale'), 'Ready')?.message ?? '', /may be stale: the API of "x"/);
});
