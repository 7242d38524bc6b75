import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@chandlery/client';
import { type AccessRequest, accessRequests, systemNamespace } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { apply } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { meshes } from '../../kinds/mesh.ts';
import { memberAccessName, memberAccessRequest } from '../../members/member-access.ts';
import { releaseAccess, startMemberAccessController } from './start-member-access-controller.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

const ask = (client: Client, cluster: string, now = new Date()): Promise<unknown> =>
  apply(client, 'chandlery-mesh', [
    { plural: accessRequests.plural, object: memberAccessRequest({ cluster, isTopology: false, now }) },
  ]);

const setMesh = (client: Client, name: string, ...clusters: string[]): Promise<unknown> => {
  const spec = { clusters: clusters.map(cluster => ({ name: cluster })) };
  return apply(client, 'test', [{ plural: meshes.plural, object: meshes.object({ name }, spec) }]);
};

/** The controller on a platform cluster with a mesh of `one` and `two`, and requests for both, `three`, and one of others. */
async function start() {
  const stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ kinds: [meshes.declaration, accessRequests.declaration] }));
  const client = plane.connect('platform');
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } });
  await setMesh(client, 'acme', 'one', 'two');
  for (const cluster of ['one', 'two', 'three']) await ask(client, cluster);
  const theirs = accessRequests.object(
    { name: 'theirs', namespace: systemNamespace },
    { clusterRef: { name: 'three', namespace: systemNamespace }, token: { permissions: [] } },
  );
  await client.create({ ...accessRequests.ref, namespace: systemNamespace }, theirs);
  stack.use(startMemberAccessController({ client, logger: silentLogger }));
  const untilOnly = (...clusters: string[]): Promise<unknown> => {
    const wanted = [...clusters.map(memberAccessName), 'theirs'].sort().join();
    return eventually(async () => {
      const { items } = await client.list<AccessRequest>(accessRequests.ref);
      return (
        items
          .map(({ metadata }) => metadata.name)
          .sort()
          .join() === wanted || undefined
      );
    });
  };
  return { client, untilOnly, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('access is released for a cluster that leaves its mesh, or whose mesh is deleted, and for no other', async () => {
  await using registry = await start();
  const { client, untilOnly } = registry;
  await untilOnly('one', 'two');
  await setMesh(client, 'acme', 'two');
  await untilOnly('two');
  await client.delete({ ...meshes.ref, name: 'acme' });
  await untilOnly();
});

test('a cluster that moves to another mesh is still read; one that is requested too late is released', async () => {
  await using registry = await start();
  const { client, untilOnly } = registry;
  await untilOnly('one', 'two');
  await setMesh(client, 'acme', 'one');
  await untilOnly('one');
  await ask(client, 'two');
  await untilOnly('one');
  await setMesh(client, 'other', 'two');
  await ask(client, 'two');
  await client.delete({ ...meshes.ref, name: 'acme' });
  await untilOnly('two');
});

test('whether a mesh has the cluster decides', async () => {
  const request = memberAccessRequest({ cluster: 'one', isTopology: false, now: new Date(0) });
  const context = undefined as never;
  const released: unknown[] = [];
  const release = async (each: AccessRequest): Promise<void> => void released.push(each);
  assert.equal(await releaseAccess(request, { isMember: async () => true, release }, context), 'continue');
  assert.deepEqual(released, []);
  assert.equal(await releaseAccess(request, { isMember: async () => false, release }, context), 'stop');
  assert.deepEqual(released, [request]);
});

test('a request that was renewed since it was read cannot be deleted', async () => {
  await using registry = await start();
  const { client } = registry;
  const ref = { ...accessRequests.ref, namespace: systemNamespace, name: memberAccessName('one') };
  const read = await client.get(ref);
  await ask(client, 'one', new Date(Date.now() + 1));
  const { uid = '', resourceVersion = '' } = read.metadata;
  await assert.rejects(client.delete(ref, { preconditions: { uid, resourceVersion } }), { code: 'Conflict' });
});
