import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createHttpSender } from './http-sender.ts';

const server = createServer((request, response) => {
  const redirect = request.url?.startsWith('/redirect') === true;
  response.writeHead(redirect ? 302 : 201, redirect ? { location: 'http://169.254.169.254/' } : { 'x-seen': 'yes' });
  request.pipe(response, { end: true });
});
let url = '';
before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const send = (target: string, { allowsLoopback = true, allowedRanges = [] as string[], body = '' } = {}) =>
  createHttpSender({ allowsLoopback, allowedRanges }).send(
    { kind: 'http', node: 'n', request: { url: target, method: 'POST', body, timeoutSeconds: 5 } },
    AbortSignal.timeout(10_000),
  );

describe('A request of an http template', () => {
  it('is sent, and the response is an observation', async () => {
    const observation = await send(url, { body: 'hello' });
    assert.equal(observation.kind, 'response');
    const { statusCode, body, headers } = observation as unknown as {
      statusCode: number;
      body: string;
      headers: Record<string, string[]>;
    };
    assert.deepEqual({ statusCode, body, seen: headers['X-Seen'] }, { statusCode: 201, body: 'hello', seen: ['yes'] });
  });

  it('reaches ranges that are allowed by name', async () => {
    const observation = await send(url, { allowsLoopback: false, allowedRanges: ['127.0.0.0/8'] });
    assert.equal(observation.kind, 'response');
  });

  for (const { why, target, allowsLoopback } of [
    { why: 'this machine when that is not allowed', target: () => url, allowsLoopback: false },
    {
      why: 'its name when that is not allowed',
      target: () => url.replace('127.0.0.1', 'localhost'),
      allowsLoopback: false,
    },
    { why: 'a link-local address', target: () => 'http://169.254.169.254/', allowsLoopback: true },
    { why: 'a private address', target: () => 'http://10.0.0.1/', allowsLoopback: true },
    { why: 'a link-local address by a redirect', target: () => `${url}/redirect`, allowsLoopback: true },
  ]) {
    it(`does not reach ${why}`, async () => {
      const observation = await send(target(), { allowsLoopback });
      assert.equal(observation.kind, 'noResponse');
      assert.match((observation as { message: string }).message, /is not allowed/);
    });
  }
});
