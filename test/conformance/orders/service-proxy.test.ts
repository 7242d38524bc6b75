import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { proxyService } from './support/hosted-server.ts';
import { setOrderStage } from './support/order-stage.ts';
import type { Answer } from './support/stage.ts';

const stage = setOrderStage();

const proxyOf = (service: string): string => `/1/services2/${service}/proxy`;

/** Waits until the process of a service answers. */
async function untilReady(service: string): Promise<void> {
  await eventually(async () => (await stage.ask('GET', `${proxyOf(service)}/`)).status === 200, {
    what: 'the service answers',
    timeoutMs: 60_000,
  });
}

interface Seen {
  readonly generation: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly digest: string;
}

const seenBy = (answer: Answer): Seen => answer.body as unknown as Seen;

/** Each test has a service of its own, and most of its time is that of processes that start. */
describe('a service of the model service-proxy', { concurrency: true }, () => {
  test('has a link by which its process is reached, once its ready-url answers', async () => {
    const service = await stage.service(proxyService());
    const { body } = await stage.expect(200, 'GET', `/1/services2/${service}`);
    const { href = '' } = body.links.find(({ rel }) => rel === 'proxy') ?? {};
    assert.equal(href, `${stage.landscape.url}${proxyOf(service)}/`);
    const early = await stage.expect(503, 'GET', `${proxyOf(service)}/`);
    assert.equal(early.body.code, 'process-not-ready');
    assert.match(early.body.message, /is not ready/);
    assert.ok(early.headers.get('retry-after'));
    await untilReady(service);
    const bytes = randomBytes(3_000_000);
    const headers = {
      'content-type': 'application/x-own',
      'x-forwarded-for': '1.2.3.4',
      cookie: 'own=1',
      te: 'trailers',
    };
    const answer = await stage.expect(200, 'PUT', `${proxyOf(service)}/a%2Fb/../c?namespace=x&q=%20`, {
      body: bytes,
      headers,
    });
    const seen = seenBy(answer);
    assert.deepEqual([seen.method, seen.size], ['PUT', bytes.length]);
    assert.equal(seen.digest, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(seen.headers['content-type'], 'application/x-own');
    assert.equal(seen.headers['cookie'], 'own=1');
    assert.equal(seen.headers['x-forwarded-prefix'], proxyOf(service));
    assert.equal(seen.headers['x-forwarded-proto'], 'https');
    assert.equal(seen.headers['x-forwarded-host'], new URL(stage.landscape.url).host);
    assert.notEqual(seen.headers['x-forwarded-for'], '1.2.3.4');
    for (const name of ['authorization', 'te']) assert.equal(seen.headers[name], undefined, name);
    assert.equal(answer.headers.get('x-hop'), null);
    assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
  });

  test('keeps redirects and cookies below its path, and passes statuses on', async () => {
    const service = await stage.service(proxyService());
    await untilReady(service);
    const head = await rawRequest(`${proxyOf(service)}/redirect`);
    assert.deepEqual([head.status, head.headers['location']], [302, `${proxyOf(service)}/elsewhere?x=1`]);
    assert.deepEqual(head.headers['set-cookie'], [`a=b; HttpOnly; Path=${proxyOf(service)}/`]);
    assert.equal((await rawRequest(`${proxyOf(service)}/away`)).headers['location'], 'https://example.com/x');
    assert.equal(
      (await rawRequest(`${proxyOf(service)}?x=1`)).headers['location'],
      `${stage.landscape.url}${proxyOf(service)}/?x=1`,
    );
    const own = await stage.expect(404, 'GET', `${proxyOf(service)}/status/404`);
    assert.equal(own.text, '{"own":true}');
    assert.equal((await stage.expect(200, 'HEAD', `${proxyOf(service)}/x`)).text, '');
  });

  test('streams responses, and carries WebSockets', async () => {
    const service = await stage.service(proxyService());
    await untilReady(service);
    const { text, headers } = await stage.expect(200, 'GET', `${proxyOf(service)}/events`);
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(text, 'data: one\n\ndata: two\n\n');
    assert.equal(await echo(`${proxyOf(service)}/socket`, 'hello'), 'hello');
    assert.equal(await echo(`${proxyOf(service)}/refuse`, 'hello'), '418');
    assert.equal(await echo(`${proxyOf(service)}/socket`, 'x', null), '401');
    assert.equal(await echo(`${proxyOf(service)}/socket`, 'x', stage.token('other/robot')), '404');
    assert.equal(await echo(`${proxyOf(service)}/socket`, 'x', stage.token('acme/reader')), '403');
  });

  test('is for its tenant alone, and for readers only to read', async () => {
    const service = await stage.service(proxyService());
    await untilReady(service);
    const path = `${proxyOf(service)}/x`;
    assert.equal((await stage.ask('GET', path, { token: null })).status, 401);
    assert.equal((await stage.ask('GET', path, { token: stage.token('other/robot') })).status, 404);
    assert.equal((await stage.ask('GET', path, { token: stage.token('acme/unbound') })).status, 403);
    assert.equal((await stage.ask('GET', path, { token: stage.token('acme/reader') })).status, 200);
    assert.equal((await stage.ask('POST', path, { token: stage.token('acme/reader'), body: {} })).status, 403);
    assert.equal((await stage.ask('GET', path, { token: stage.landscape.token })).status, 200);
    const refused = await stage.expect(422, 'POST', '/1/orders', { body: { service, parameters: [] } });
    assert.match(refused.body.message, /service-proxy\.1.*\/proxy\//);
    await stage.expect(422, 'POST', `/1/services2/${service}/jobs`, { body: {} });
  });

  test('is replaced without a gap, and is 503 with the reason after a crash', async () => {
    const service = await stage.service(proxyService('old'));
    await untilReady(service);
    const body = { name: 'test', description: 'a test', parameters: [], ...proxyService('new') };
    await stage.expect(200, 'PUT', `/1/services2/${service}`, { body });
    const generations = new Set<string>();
    await eventually(
      async () => {
        const { generation } = seenBy(await stage.expect(200, 'GET', `${proxyOf(service)}/`));
        generations.add(generation);
        return generation === 'new';
      },
      { what: 'the new generation answers', timeoutMs: 60_000 },
    );
    assert.deepEqual([...generations], ['old', 'new']);
    const broken = await stage.expect(502, 'GET', `${proxyOf(service)}/die`);
    assert.equal(broken.body.code, 'bad-gateway');
    await untilReady(service);
    const down = await stage.service(proxyService('x', { command: ['sh', '-c', 'exit 7'] }));
    await eventually(
      async () => /exit code 7/.test((await stage.expect(503, 'GET', `${proxyOf(down)}/`)).body.message),
      { what: 'the message has the exit code', timeoutMs: 60_000 },
    );
  });
});

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request that follows no redirects. */
function rawRequest(path: string): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { url, ca } = stage.landscape;
  const headers = { authorization: `Bearer ${stage.token('acme/robot')}` };
  httpsRequest(`${url}${path}`, { ca, headers }, response => {
    response.resume().on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
  })
    .on('error', reject)
    .end();
  return promise;
}

/** Sends one text frame by WebSocket and returns the text that comes back, or the status of a refusal. */
function echo(path: string, text: string, token: string | null = stage.token('acme/robot')): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { url, ca } = stage.landscape;
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-version': '13',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  const mask = randomBytes(4);
  const payload = Buffer.from(text).map((byte, at) => byte ^ mask.readUInt8(at % 4));
  httpsRequest(`${url}${path}`, { ca, headers })
    .on('error', reject)
    .on('response', response => response.resume() && resolve(String(response.statusCode)))
    .on('upgrade', (_response, socket) => {
      socket.on('data', (frame: Buffer) => {
        resolve(frame.subarray(2).toString());
        socket.destroy();
      });
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), mask, payload]));
    })
    .end();
  return promise;
}
