import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkRow,
  createRow,
  type OperationRow,
  type PlanRow,
  type RegistryWrite,
  removeRow,
  updateRow,
  type VisibilityRow,
} from '../model/rows.ts';
import { maxTransitiveResources, withTransitiveResources } from './transitive-resources.ts';

const spec = {
  type: 'update',
  resourceType: '/v1/service_brokers',
  resourceId: 'b',
  platformId: 'service-manager',
} as const;
const operation = createRow({ table: 'operations', id: 'o', tenant: 't', spec, status: { state: 'in progress' } });
const plan = { id: 'p', spec: {}, status: {} } as PlanRow;
const visibility = { id: 'v', spec: {}, status: {} } as VisibilityRow;

const touchedIn = (writes: readonly RegistryWrite[]) =>
  withTransitiveResources(writes).flatMap(write =>
    'table' in write && write.table === 'operations' && 'status' in write
      ? (write.status?.transitiveResources ?? []).map(({ operationType, type, id }) => `${operationType} ${type} ${id}`)
      : [],
  );

test('an operation records what is committed with it, but its own resource, checks and other operations', () => {
  const writes = [
    createRow({ table: 'brokers', id: 'b', tenant: 't', spec: {} }),
    createRow({ table: 'offerings', id: 'f', tenant: 't', spec: { brokerId: 'b' } as never }),
    updateRow({ table: 'plans', row: plan, spec: plan.spec }),
    removeRow('visibilities', visibility),
    checkRow('plans', { ...plan, id: 'checked' }),
    updateRow({ table: 'plans', row: { ...plan, id: 'touched' }, status: plan.status }),
    { type: 'put-secret', tenant: 't', name: 's', data: {} } as const,
    operation,
  ];
  const wanted = ['create /v1/service_offerings f', 'update /v1/service_plans p', 'delete /v1/visibilities v'];
  assert.deepEqual(touchedIn(writes), wanted);
});

test('what it touches later is added, once, and within limits', () => {
  const earlier = [{ id: 'v', type: '/v1/visibilities', operationType: 'delete' as const }];
  const row = { id: 'o', spec, status: { transitiveResources: earlier } } as OperationRow;
  const goOn = updateRow({ table: 'operations', row, status: { ...row.status, state: 'succeeded' } });
  const writes = [
    goOn,
    removeRow('visibilities', visibility),
    updateRow({ table: 'plans', row: plan, spec: plan.spec }),
  ];
  assert.deepEqual(touchedIn(writes), ['delete /v1/visibilities v', 'update /v1/service_plans p']);
  const many = Array.from({ length: 2 * maxTransitiveResources }, (_, n) =>
    removeRow('plans', { ...plan, id: `${n}` }),
  );
  assert.equal(touchedIn([goOn, ...many]).length, maxTransitiveResources);
});

test('a commit of several open operations belongs to none of them', () => {
  const goOn = (id: string) =>
    updateRow({ table: 'operations', row: { id, spec, status: {} } as OperationRow, status: { state: 'failed' } });
  const other = removeRow('visibilities', visibility);
  assert.deepEqual(touchedIn([goOn('1'), goOn('2'), other]), []);
  assert.deepEqual(touchedIn([goOn('1'), operation, other]), ['delete /v1/visibilities v']);
});
