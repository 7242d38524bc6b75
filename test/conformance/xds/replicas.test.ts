import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { ResourceType } from '../../../domains/mesh/src/model/resource.ts';
import { secretNames } from '../../../domains/mesh/src/model/resource-names.ts';
import { startReplicas } from '../../replicas/start-replicas.ts';
import { offer, setSplit } from './support/declare-service.ts';
import { createMeshCluster, type MeshLandscape, meshOf, portName, tenant } from './support/mesh-landscape.ts';
import { ips } from './support/samples.ts';

/** All resources of a replica for a proxy, as bytes, with the version of each type. */
async function everythingOf(mesh: MeshLandscape, names: readonly string[]): Promise<object> {
  const asked: readonly [ResourceType, readonly string[]][] = [
    ['cluster', ['*']],
    ['endpoints', names],
    ['listener', ['*']],
    ['route', names],
    ['secret', [secretNames.inboundRoots]],
  ];
  await using proxy = await mesh.proxy({ account: 'web' });
  const told: Record<string, object> = {};
  for (const [type, wanted] of asked) {
    proxy.ask(type, wanted);
    const { version, resources } = await proxy.until(type, response => {
      proxy.ack(response);
      return wanted.includes('*') || response.resources.length === wanted.length;
    });
    told[type] = { version, resources: resources.map(({ name, value }) => [name, value.toString('base64')]) };
  }
  return told;
}

test('19. two replicas send the same bytes and versions', { timeout: 180_000 }, async () => {
  await using replicas = await startReplicas(2);
  const [first = assert.fail(), second = assert.fail()] = replicas.all;
  await eventually(() => createMeshCluster(first, tenant).then(() => true), { timeoutMs: 30_000 });
  await using one = await meshOf(first);
  await using other = await meshOf(second);
  for (const [index, name] of ['root', 'one', 'two'].entries()) {
    await offer(one, { name, from: ['web'], address: `10.96.0.${index + 1}`, endpoints: ips(index + 1, index + 7) });
  }
  await setSplit(one.client, 'root', { one: 1, two: 2 });
  const names = ['root', 'one', 'two'].map(name => portName(name));
  await everythingOf(one, names).catch(() => undefined);
  await eventually(
    async () => {
      assert.deepEqual(await everythingOf(other, names), await everythingOf(one, names));
      return true;
    },
    { timeoutMs: 30_000, what: 'both replicas to know the same' },
  );
});
