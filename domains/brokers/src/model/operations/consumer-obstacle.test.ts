import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerObstacle } from './consumer-obstacle.ts';

const landscape = { spec: { internal: 'memory' } };
const account = 'bind_resource.service_account';
const cluster = 'bind_resource.cluster';

const cases: readonly { readonly bindResource: unknown; readonly field?: string }[] = [
  { bindResource: undefined },
  { bindResource: { app_guid: 'app', cluster: 7 } },
  { bindResource: { service_account: 'acme/web' } },
  { bindResource: { service_account: 'web.v1', cluster: 'eu-1' } },
  { bindResource: { service_account: 'acme/web/1' }, field: account },
  { bindResource: { service_account: '/web' }, field: account },
  { bindResource: { service_account: 'acme/' }, field: account },
  { bindResource: { service_account: '' }, field: account },
  { bindResource: { service_account: 'acme/Web' }, field: account },
  { bindResource: { service_account: 'acme.example/web' }, field: account },
  { bindResource: { service_account: null }, field: account },
  { bindResource: { service_account: { name: 'web' } }, field: account },
  { bindResource: { service_account: 'acme/web', cluster: '' }, field: cluster },
  { bindResource: { service_account: 'acme/web', cluster: 7 }, field: cluster },
];

for (const { bindResource, field } of cases)
  test(`${JSON.stringify(bindResource)} is ${field === undefined ? 'accepted' : `rejected for ${field}`}`, () => {
    assert.equal(consumerObstacle(landscape, bindResource)?.field, field);
  });

test('brokers elsewhere get whatever was sent', () => {
  assert.equal(consumerObstacle({ spec: {} }, { service_account: 7 }), undefined);
  assert.equal(consumerObstacle(undefined, { service_account: 7 }), undefined);
});
