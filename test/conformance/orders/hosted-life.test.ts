import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { proxyService, restService } from './support/hosted-server.ts';

const service = (fields: object): object => ({ name: 'x', description: 'x', parameters: [], ...fields });
const group = '/clusters/onboarding/apis/orders.chandlery.io/v1alpha1/namespaces';

async function send(
  landscape: TestLandscape,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
) {
  const headers = { 'x-chandlery-namespace': 'acme', ...more };
  const answer = await landscape.request(path, { headers, ...(body && { body }) });
  return { ...answer, body: answer.text.startsWith('{') ? answer.json<Record<string, string>>() : {} };
}

const deployments = async (landscape: TestLandscape): Promise<number> => {
  const { items } = (
    await landscape.request('/clusters/platform/apis/apps/v1/namespaces/orders-acme/deployments')
  ).json<{ items: object[] }>();
  return items.length;
};

test('processes are limited by tenant, survive a restart, and go with the namespace', async () => {
  const env = { CHANDLERY_ORDERS: '{"processes":1}' };
  await using landscape = await startTestLandscape({ flags: ['--local-clusters', 'on'], env });
  await landscape.request('/clusters/onboarding/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'acme' } },
  });
  const made = await send(landscape, '/1/services2', service(restService()));
  assert.equal(made.status, 201, made.text);
  const jobs = `/1/services2/${made.body['id']}/jobs`;
  assert.equal((await send(landscape, jobs, { do: 'echo' }, { timeout: '60' })).status, 200);

  const second = await send(landscape, '/1/services2', service(proxyService()));
  assert.deepEqual([second.status, second.body['code'], second.body['name']], [403, 'limit-exceeded', 'processes']);
  // kubectl bypasses the limit; the controller leaves such a service without a process.
  const uuid = '11111111-2222-4333-8444-555555555555';
  const kind = { apiVersion: 'orders.chandlery.io/v1alpha1', kind: 'Service', metadata: { name: uuid } };
  const stored = await landscape.request(`${group}/acme/services`, { body: { ...kind, spec: proxyService() } });
  assert.equal(stored.status, 201, stored.text);
  const waiting = await send(landscape, `/1/services2/urn:ivcap:service:${uuid}/proxy/`);
  assert.deepEqual([waiting.status, waiting.body['code']], [503, 'process-not-ready']);

  const lost = await send(landscape, jobs, { do: 'slow', ms: 600_000 });
  const order = lost.headers.get('ivcap-order-id') ?? '';
  const statusOf = async (): Promise<string> => (await send(landscape, `/1/orders/${order}`)).body['status'] ?? '';
  await eventually(async () => (await statusOf()) === 'executing', { what: 'the process works on the job' });
  await landscape.kill9();
  await landscape.restart();
  await eventually(async () => (await statusOf()) === 'error', { what: 'the job has ended', timeoutMs: 60_000 });
  assert.match((await send(landscape, `/1/orders/${order}`)).body['error-message'] ?? '', /was restarted/);
  const again = await send(landscape, jobs, { do: 'echo' }, { timeout: '60' });
  assert.equal(again.status, 200, again.text);
  assert.equal(await deployments(landscape), 1);

  const gone = await landscape.request('/clusters/onboarding/api/v1/namespaces/acme', { method: 'DELETE' });
  assert.equal(gone.status, 200);
  const pods = '/clusters/platform/api/v1/namespaces/orders-acme/pods';
  await eventually(
    async () =>
      (await deployments(landscape)) === 0 &&
      (await landscape.request(pods)).json<{ items: object[] }>().items.length === 0,
    { what: 'nothing of the tenant runs', timeoutMs: 60_000 },
  );
});
