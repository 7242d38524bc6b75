import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AtomicClient } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { brokerKinds, globalTenant } from '../kinds/index.ts';
import { lastOperationOf } from '../model/operations/last-operation.ts';
import { createRow, type Registry, removeRow, updateRow } from '../model/rows.ts';
import { seedInstance, seedOperation, startTestRegistry, type TestRegistry } from '../test-registry.ts';
import { createRegistry } from './create-registry.ts';

let running: TestRegistry;
let registry: Registry;
let client: AtomicClient;
before(async () => {
  running = await startTestRegistry();
  ({ registry, client } = running);
});
after(() => running[Symbol.asyncDispose]());

const creation = (id: string) => ({ id, platformId: 'k8s', correlationId: 'request-1' });
const madeAtOnce = (id: string) =>
  seedInstance(registry, { id, status: { ready: true, creation: creation(`made-${id}`) } });

test('a creation that is part of its row is an operation like any other', async () => {
  const heard: string[] = [];
  const stop = registry.operations.listen(({ type, row }) => heard.push(`${type} ${row.id}`));
  const instance = await madeAtOnce('one');
  stop();
  const operation = registry.operations.get('made-one');
  assert.deepEqual(operation?.spec, {
    type: 'create',
    resourceType: '/v1/service_instances',
    resourceId: 'one',
    platformId: 'k8s',
    correlationId: 'request-1',
  });
  assert.deepEqual([operation?.status.state, operation?.tenant], ['succeeded', instance.tenant]);
  assert.equal(operation?.createdAt, instance.createdAt);
  assert.equal(lastOperationOf(registry, '/v1/service_instances', 'one'), operation);
  assert.deepEqual(heard, ['added made-one']);
  assert.deepEqual((await client.list(brokerKinds.operations.ref)).items, []);
});

test('a listener finds all rows of the commit', async () => {
  const found: unknown[] = [];
  const stop = registry.operations.listen(({ row }) => found.push(row.id, registry.platforms.get('beside')?.id));
  await registry.commit([
    createRow({
      table: 'instances',
      id: 'with-more',
      tenant: globalTenant,
      spec: {},
      status: { creation: creation('op') },
    }),
    createRow({ table: 'platforms', id: 'beside', tenant: globalTenant, spec: { name: 'beside', type: 'kubernetes' } }),
  ]);
  stop();
  assert.deepEqual(found, ['op', 'beside']);
});

test('it stays when the row changes, is not the last any more when there is another, and goes with the row', async () => {
  const row = await madeAtOnce('two');
  const operation = registry.operations.get('made-two');
  await registry.commit([updateRow({ table: 'instances', row, spec: { ...row.spec, name: 'renamed' } })]);
  assert.equal(registry.operations.get('made-two'), operation);
  const { id } = await seedOperation(registry, { spec: { resourceId: 'two' }, status: { state: 'succeeded' } });
  assert.equal(lastOperationOf(registry, '/v1/service_instances', 'two')?.id, id);
  const renamed = registry.instances.get('two') ?? assert.fail();
  await registry.commit([removeRow('instances', renamed)]);
  assert.deepEqual([registry.operations.get('made-two'), registry.operations.get(id)?.id], [undefined, id]);
});

test('every replica shows the same, whether it lists or watches', async () => {
  await madeAtOnce('listed');
  await using other = createRegistry({ client });
  await other.synced;
  await madeAtOnce('watched');
  await eventually(() => other.operations.get('made-watched') !== undefined);
  for (const id of ['made-listed', 'made-watched']) {
    assert.deepEqual(other.operations.get(id), registry.operations.get(id));
    assert.equal([...registry.operations.by('resourceId', id.slice(5))].length, 1);
  }
});

test('a status that names an operation of something else neither hides nor replaces it', async () => {
  const { id } = await seedOperation(registry, { spec: { resourceId: 'theirs' }, status: { state: 'succeeded' } });
  const real = registry.operations.get(id);
  await madeAtOnce('victim');
  const forged = await seedInstance(registry, { id: 'forger', status: { creation: creation(id) } });
  const second = await seedInstance(registry, { id: 'forger-2', status: { creation: creation('made-victim') } });
  assert.equal(registry.operations.get(id), real);
  await registry.commit([removeRow('instances', forged), removeRow('instances', second)]);
  assert.equal(registry.operations.get(id), real);
  assert.equal(registry.operations.get('made-victim')?.spec.resourceId, 'victim');
});
