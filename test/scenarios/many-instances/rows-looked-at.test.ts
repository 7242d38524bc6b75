import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globalTenant } from '@chandlery/brokers/kinds';
import { OrderedRows } from '@chandlery/registry';
import { idsOf, provisionBody, startTestOsb, type TestOsb } from '../../../domains/brokers/src/facade/osb/test-osb.ts';
import { createRow } from '../../../domains/brokers/src/model/rows.ts';

type Walk = typeof OrderedRows.prototype.after;

/** Counts the rows that are read while iterating over a table or an index. */
async function countRows(work: () => Promise<void>): Promise<number> {
  const { prototype } = OrderedRows;
  const original = Object.getOwnPropertyDescriptors(prototype);
  let count = 0;
  const counted = (walk: Walk): Walk =>
    function* (this: OrderedRows<never>, place) {
      for (const row of walk.call(this, place)) {
        count++;
        yield row;
      }
    };
  const forEach = original.forEach.value as (visit: (row: never) => void) => void;
  prototype.after = counted(original.after.value as Walk);
  prototype.newestFirst = counted(original.newestFirst.value as Walk) as typeof prototype.newestFirst;
  prototype[Symbol.iterator] = counted(
    original[Symbol.iterator].value as Walk,
  ) as (typeof prototype)[typeof Symbol.iterator];
  prototype.forEach = function (this: OrderedRows<never>, visit) {
    count += this.size;
    forEach.call(this, visit);
  };
  try {
    await work();
  } finally {
    Object.defineProperties(prototype, original);
  }
  return count;
}

/** Instances of the platform `k8s`, each with the operation that made it. */
async function seed(world: TestOsb, from: number, to: number): Promise<void> {
  const planId = world.plan('database-sync').id;
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const writes = numbers.flatMap(number => [
    createRow<'instances'>({
      table: 'instances',
      id: `seeded-${number}`,
      tenant: globalTenant,
      spec: { name: 'my-database', planId, platformId: 'k8s', labels: { tier: ['gold'] } },
      status: { ready: true, usable: true },
    }),
    createRow<'operations'>({
      table: 'operations',
      id: `operation-${number}`,
      tenant: globalTenant,
      spec: {
        type: 'create',
        resourceType: '/v1/service_instances',
        resourceId: `seeded-${number}`,
        platformId: 'k8s',
      },
      status: { state: 'succeeded' },
    }),
  ]);
  for (let start = 0; start < writes.length; start += 1000)
    await world.registry.commit(writes.slice(start, start + 1000));
}

/** The whole life of an instance with a binding, as a platform leads it. */
async function live(world: TestOsb, id: string): Promise<void> {
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await world.ask(method, path, body === undefined ? {} : { body });
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  };
  const ids = idsOf();
  const binding = `/service_instances/${id}/service_bindings/${id}-binding`;
  await ask('GET', '/catalog');
  await ask('PUT', `/service_instances/${id}`, provisionBody());
  await ask('GET', `/service_instances/${id}?${ids}`);
  await ask('PATCH', `/service_instances/${id}`, { service_id: 'database-id', parameters: { size: 2 } });
  await ask('GET', `/service_instances/${id}/last_operation?${ids}`);
  await ask('PUT', binding, { service_id: 'database-id', plan_id: 'database-sync' });
  await ask('GET', `${binding}?${ids}`);
  await ask('DELETE', `${binding}?${ids}`);
  await ask('DELETE', `/service_instances/${id}?${ids}`);
}

test('the rows that a platform’s calls look at do not grow with the number of instances', async () => {
  await using world = await startTestOsb();
  await seed(world, 0, 50);
  await live(world, 'warm');
  const few = await countRows(() => live(world, 'among-few'));
  await seed(world, 50, 5000);
  const many = await countRows(() => live(world, 'among-many'));
  assert.ok(few > 0, 'the count itself works');
  assert.equal(many, few);
});
