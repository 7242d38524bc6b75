import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { createJob } from '../../actions/jobs/create-job.ts';
import { parseUrn, urnOf } from '../../model/urns.ts';
import { createRow } from '../../registry/orders-registry.ts';
import { type OrderWorld, startOrderWorld, tenant } from '../../test-order-world.ts';
import { DataProxy } from './data-proxy.ts';
import { createFetchExternal } from './fetch-external.ts';

const actor = { username: 'tester', tenant };

const baseOf = ({ deps }: OrderWorld, id: string): string =>
  deps.dataProxy.bind({ id, tenant }, { name: 'x' }).env.find(({ name }) => name === 'IVCAP_BASE_URL')?.value ?? '';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('the data proxy', () => {
  test('is at loopback, and serves nobody without the token of an order that runs', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    const base = baseOf(world, order.id);
    assert.match(base, /^http:\/\/127\.0\.0\.1:\d+\//);
    assert.equal((await fetch(`${base}/readyz`, { method: 'HEAD' })).status, 200);
    const { origin } = new URL(base);
    for (const path of ['/readyz', '/x/readyz', `/${order.id}.x/readyz`, `/${order.id}/readyz`])
      assert.equal((await fetch(origin + path)).status, 403, path);
    await world.setStatus(order, { phase: 'Succeeded' });
    await world.until(order, 'succeeded');
    assert.equal((await fetch(`${base}/readyz`)).status, 403);
  });

  test('gives artifacts, queues and secrets of the tenant and of no other', async () => {
    await using world = await startOrderWorld();
    const { deps, actions } = world;
    const order = await world.order();
    const base = baseOf(world, order.id);
    const other = { username: 'x', tenant: 'kube-system' };
    const content = { bytes: bytes('theirs'), length: 6 };
    const theirs = await actions.artifacts.createWithContent(other, { mimeType: 'text/plain' }, content);
    const mine = await actions.artifacts.createWithContent(
      actor,
      { mimeType: 'text/plain' },
      { bytes: bytes('mine'), length: 4 },
    );
    const queue = await actions.queues.create(other, { name: 'q' });
    await actions.secrets.set(other, { name: 's', type: 'raw', value: 'v', expiresAt: undefined });
    assert.equal(await (await fetch(`${base}/${urnOf('artifact', mine.id)}`)).text(), 'mine');
    for (const path of [
      urnOf('artifact', theirs.id),
      urnOf('queue', queue.id),
      '1/secret?secret-name=s',
      `1/queues/${urnOf('queue', queue.id)}/messages`,
    ])
      assert.equal((await fetch(`${base}/${path}`)).status, 404, path);
    await actions.secrets.set(actor, { name: 's', type: 'raw', value: 'w', expiresAt: undefined });
    const secret = (await (
      await fetch(`${base}/1/secret?secret-name=s&secret-type=raw&token-type=M2M`)
    ).json()) as Record<string, unknown>;
    assert.equal(secret['secret-value'], 'w');
    assert.equal(deps.registry.artifacts.size, 2);
  });

  test('takes products and statements of the order', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    const base = baseOf(world, order.id);
    const headers = { 'content-type': 'text/csv', 'x-name': 'table.csv' };
    const stored = await fetch(base, { method: 'POST', headers, body: 'a,b' });
    assert.equal(stored.status, 201);
    const { id, size } = (await stored.json()) as { id: string; size: number };
    assert.deepEqual(
      [size, stored.headers.get('x-artifact-id'), stored.headers.get('location')],
      [3, id, `${base}/${id}`],
    );
    const row = world.deps.registry.artifacts.get(parseUrn('artifact', id) ?? '');
    assert.deepEqual([row?.spec.order, row?.spec.mimeType, row?.spec.name], [order.id, 'text/csv', 'table.csv']);
    const about = { 'x-meta-data-for-entity': id, 'x-meta-data-schema': 'urn:x:s' };
    assert.equal((await fetch(base, { method: 'POST', headers: about, body: '{"a":1}' })).status, 201);
    const aspects = [...world.deps.registry.aspects.all()].filter(({ spec }) => spec.entity === id);
    assert.deepEqual(
      aspects.map(({ spec }) => spec.content),
      [{ a: 1 }],
    );
  });

  test('gives out a job until it has a result, which counts once', async () => {
    await using world = await startOrderWorld();
    const { registry } = world.deps;
    const service = await world.service();
    const content = Buffer.from('{"q":1}');
    const job = await createJob(world.deps, actor, { service, contentType: 'application/json', content });
    const base = baseOf(world, parseUrn('order', job.spec.order ?? '') ?? '');
    const next = async () => (await fetch(`${base}/next_job`)).json();
    const urn = urnOf('job', job.id);
    const expected = { id: urn, 'in-content-type': 'application/json', 'in-content': { q: 1 } };
    assert.deepEqual([await next(), await next()], [expected, expected]);
    const post = (body: string) =>
      fetch(`${base}/results/${urn}`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body });
    assert.equal((await post('first')).status, 200);
    assert.equal((await post('second')).status, 200);
    assert.equal(registry.jobs.get(job.id)?.status.resultContent, 'first');
    assert.match(JSON.stringify(await next()), /service\.batch\.done/);
    assert.equal(
      (
        await fetch(`${base}/events/${urn}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: 'no',
        })
      ).status,
      400,
    );
    const foreign = await world.order();
    assert.equal(
      (await fetch(`${baseOf(world, foreign.id)}/results/${urn}`, { method: 'POST', body: 'x' })).status,
      404,
    );
  });

  test('is found again after a restart of the server', async () => {
    await using folder = await tempFolder();
    const order = { id: '00000000-0000-4000-8000-000000000001', tenant };
    const bound = async (): Promise<string> => {
      await using proxy = await DataProxy.open(folder.path);
      return JSON.stringify(proxy.bind(order));
    };
    assert.equal(await bound(), await bound());
  });

  test('lets no message of another tenant be read by its number', async () => {
    await using world = await startOrderWorld();
    const { registry } = world.deps;
    const queue = registry.newId();
    const spec = { queue, sequence: 1, content: 'secret' };
    await registry.commit([createRow({ table: 'queueMessages', id: `${queue}.1`, tenant: 'kube-system', spec })]);
    const order = await world.order();
    assert.equal((await fetch(`${baseOf(world, order.id)}/urn:ivcap:message:${queue}:1`)).status, 404);
  });
});

describe('content from outside', () => {
  const refused = [
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::ffff:10.0.0.1]/',
    'http://0.0.0.0/',
  ];
  for (const url of refused)
    test(`is not read from ${url}`, () =>
      assert.rejects(createFetchExternal({ allowLoopback: false })(url, AbortSignal.timeout(5000)), {
        restCode: 'forbidden',
      }));

  test('is read from loopback where that is allowed', () =>
    assert.rejects(createFetchExternal({ allowLoopback: true })('http://127.0.0.1:1/', AbortSignal.timeout(5000)), {
      restCode: 'not-found',
    }));
});
