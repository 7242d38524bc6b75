import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { meshTable } from './support/mesh-table.ts';
import { type MeshPerson, type MeshWorld, meshPeople, rival, startMeshWorld } from './support/mesh-world.ts';

let world: MeshWorld;
before(async () => {
  world = await startMeshWorld();
});
after(() => world?.[Symbol.asyncDispose]());

const everybody = Object.keys(meshPeople) as MeshPerson[];

test('everybody gets from every route what the table says', async () => {
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
      if (answer.status !== wanted) wrong.push(`${method} ${path} as ${who}: ${answer.status}, not ${wanted}: ${answer.text.slice(0, 150)}`);
    }
  }
  assert.deepEqual(wrong, []);
});
