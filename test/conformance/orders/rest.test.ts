import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { restService } from './support/hosted-server.ts';
import { setOrderStage } from './support/order-stage.ts';
import type { Answer } from './support/stage.ts';

const stage = setOrderStage();

const send = (service: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  stage.ask('POST', `/1/services2/${service}/jobs`, { body, headers: { timeout: '60', ...headers } });

const pathOf = ({ headers }: Answer): string => new URL(headers.get('ivcap-job-url') ?? '').pathname;

/** Each test has a service of its own, and most of its time is that of processes that start. */
describe('a service of the model rest', { concurrency: true }, () => {
  test('takes jobs with one process, several at a time, and gets no credentials of the caller', async () => {
    const service = await stage.service(restService());
    const first = await send(service, { do: 'echo' });
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers.get('content-type'), 'application/json');
    assert.deepEqual([first.body['job'], first.body['count'], first.body['authorization']], [{ do: 'echo' }, 1, null]);
    assert.equal(first.body['id'], first.headers.get('ivcap-job-id'));
    const env = first.body['env'] as readonly string[];
    for (const name of ['PORT', 'IVCAP_BASE_URL', 'IVCAP_STORAGE_URL', 'IVCAP_CACHE_URL', 'IVCAP_IN_DIR'])
      assert.ok(env.includes(name), name);
    const plain = await send(service, 'words', { 'content-type': 'text/plain' });
    assert.deepEqual([plain.body['type'], plain.body['count']], ['text/plain', 2]);
    const waiting = send(service, { do: 'slow', ms: 3000 });
    const fast = await Promise.all([1, 2, 3].map(() => send(service, { do: 'echo' })));
    assert.deepEqual(fast.map(({ body }) => body['count']).sort(), [3, 4, 5]);
    assert.equal((await waiting).text, 'slow');
    const { body: job } = await stage.expect(200, 'GET', pathOf(first));
    assert.deepEqual([job.status, job['result-content-type']], ['succeeded', 'application/json']);
    assert.equal((await stage.expect(200, 'GET', `/1/orders/${String(job['order'])}`)).body.status, 'succeeded');
    assert.equal((await stage.expect(200, 'GET', `${pathOf(first)}/output`)).text, first.text);
    const later = await stage.expect(202, 'POST', `/1/services2/${service}/jobs`, { body: { do: 'slow', ms: 200 } });
    assert.match(String(later.body['location']), /jobs\/urn:ivcap:job:/);
  });

  test('reports results and events itself, or later, and its products belong to the order', async () => {
    const service = await stage.service(restService());
    const reported = await send(service, { do: 'report' });
    assert.deepEqual([reported.status, reported.text], [200, 'reported 204 201']);
    const { text } = await stage.expect(200, 'GET', `${pathOf(reported)}/events`);
    assert.match(text, /"step":1/);
    const { body: job } = await stage.expect(200, 'GET', pathOf(reported));
    const { items } = job['products'] as { items: { name: string }[] };
    assert.deepEqual(
      items.map(({ name }) => name),
      ['product'],
    );
    assert.equal((await send(service, { do: 'later' })).text, 'found later');
  });

  test('ends jobs that it rejects or fails at, and gets them again', async () => {
    const service = await stage.service(restService());
    const rejected = await send(service, { do: 'reject' });
    assert.deepEqual([rejected.status, rejected.body.message], [400, 'no such question']);
    const failed = await send(service, { do: 'fail' });
    assert.deepEqual([failed.status, failed.body.code], [500, 'job-failed']);
    assert.match(failed.body.message, /answered 500: out of ideas/);
    const { body: job } = await stage.expect(200, 'GET', pathOf(rejected));
    assert.deepEqual([job.status, job['error-message']], ['failed', 'The service answered 400: no such question']);
    const order = String(job['order']);
    await stage.expect(200, 'POST', `/1/orders/${order}/retry`, { body: {} });
    await stage.until(order, 'failed');
    assert.equal((await stage.expect(400, 'GET', `${pathOf(rejected)}/output`)).body.message, 'no such question');
  });

  test('ends jobs on which it crashed, and starts again', async () => {
    const service = await stage.service(restService());
    const crashed = await send(service, { do: 'crash' });
    assert.deepEqual([crashed.status, crashed.body.code], [500, 'job-error']);
    assert.match(crashed.body.message, /connection to the service broke/);
    assert.equal((await send(service, { do: 'echo' })).body['count'], 1);
  });

  test('ends jobs that it abandons', async () => {
    const service = await stage.service(restService());
    const abandoned = await send(service, { do: 'abandon' });
    assert.match(abandoned.body.message, /ended before it reported/);
  });

  test('tells a job why no process runs', async () => {
    const service = await stage.service(restService({ command: ['no-such-program'], image: 'nobody/has:1' }));
    const lost = await stage.ask('POST', `/1/services2/${service}/jobs`, { body: {}, headers: { timeout: '60' } });
    assert.deepEqual([lost.status, lost.body.code], [500, 'job-error']);
    assert.match(lost.body.message, /does not run: .*nobody\/has:1/);
  });

  test('cancels a job, and cannot be ordered', async () => {
    const service = await stage.service(restService());
    const { headers } = await stage.expect(202, 'POST', `/1/services2/${service}/jobs`, {
      body: { do: 'slow', ms: 600_000 },
    });
    const order = headers.get('ivcap-order-id') ?? '';
    await stage.until(order, 'executing');
    await stage.expect(200, 'POST', `/1/orders/${order}/cancel`, { body: {} });
    await stage.until(order, 'cancelled');
    const refused = await stage.expect(422, 'POST', '/1/orders', { body: { service, parameters: [] } });
    assert.equal(refused.body.code, 'controller-not-orderable');
    assert.match(refused.body.message, /service\.rest\.1.*\/jobs/);
    await stage.expect(404, 'GET', `/1/services2/${service}/proxy/`);
    await stage.expect(404, 'POST', `/1/services2/${service}/jobs`, { body: {}, token: stage.token('other/robot') });
  });

  test('leaves nothing when it is deleted', async () => {
    const service = await stage.service(restService());
    assert.equal((await send(service, { do: 'echo' })).status, 200);
    const uuid = service.slice('urn:ivcap:service:'.length);
    const objects = async (path: string): Promise<number> => {
      const selector = `labelSelector=orders.chandlery.io/hosted-service=${uuid}`;
      const { token } = stage.landscape;
      const url = `/clusters/platform${path}?${selector}`;
      return (await stage.ask('GET', url, { token })).body.items.length;
    };
    assert.equal(await objects('/apis/apps/v1/deployments'), 1);
    await stage.expect(204, 'DELETE', `/1/services2/${service}`);
    await eventually(async () => (await objects('/apis/apps/v1/deployments')) + (await objects('/api/v1/pods')) === 0, {
      what: 'Deployment and pods are gone',
      timeoutMs: 60_000,
    });
  });

  test('is limited by tenant, and its controller is checked', async () => {
    const invalid = { name: 'x', description: 'x', parameters: [] };
    for (const [fields, name] of [
      [{ 'ready-url': 'https://example.com/' }, 'controller.ready-url'],
      [{ port: 0 }, 'controller.port'],
      [{ resources: { limits: { cpu: 'many' } } }, 'controller.resources.limits.cpu'],
    ] as const) {
      const body = { ...invalid, ...restService(fields) };
      assert.equal((await stage.expect(422, 'POST', '/1/services2', { body })).body.name, name);
    }
  });
});
