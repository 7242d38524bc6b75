import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './api-failure.ts';

const cases: readonly (readonly [api: string, body: object, code: string, message: string])[] = [
  ['Kubernetes', { kind: 'Status', code: 404, reason: 'NotFound', message: 'no boat' }, 'NotFound', 'no boat'],
  ['the fleet', { kind: 'Error', id: '7', code: 'FLEET-MGMT-7', reason: 'no product' }, 'FLEET-MGMT-7', 'no product'],
  ['the service manager', { error: 'NotFound', description: 'no broker' }, 'NotFound', 'no broker'],
  ['orders', { code: 'not-found', message: 'no order', id: 'x' }, '404', 'no order'],
];

for (const [api, body, code, message] of cases)
  test(`a failure of ${api} is a sentence for people`, async () => {
    const failure = await failureOf(new Response(JSON.stringify(body), { status: 404 }));
    assert.deepEqual([failure.code, failure.message, failure.status], [code, message, 404]);
  });
