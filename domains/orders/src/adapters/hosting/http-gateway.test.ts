import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { HostedEndpoint } from '../../order-ports.ts';
import { HttpGateway } from './http-gateway.ts';

/** A process of a service, and a gateway of little patience. */
async function startStage(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const endpoint: HostedEndpoint = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, process: 'p/0' };
  const gateway = new HttpGateway({ timeoutMs: 300 });
  return {
    endpoint,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const request = { method: 'GET', target: '/x', headers: {} };
const never = new AbortController().signal;

describe('the gateway', () => {
  test('says that nothing listens, that a connection broke, and that no response came', async () => {
    await using stage = await startStage((incoming, response) => {
      if (incoming.url === '/break') response.destroy();
    });
    const { endpoint, gateway } = stage;
    await assert.rejects(gateway.forward(endpoint, { ...request, target: '/break' }, never), {
      restCode: 'bad-gateway',
      message: /does not answer/,
    });
    for (const send of ['forward', 'upgrade'] as const)
      await assert.rejects(gateway[send](endpoint, request, never), {
        restCode: 'gateway-timeout',
        message: /within 0\.3 s/,
      });
    const nobody = { ...endpoint, port: 1 };
    for (const send of ['forward', 'upgrade'] as const)
      await assert.rejects(gateway[send](nobody, request, never), { restCode: 'bad-gateway' });
  });

  test('ends a request whose client has gone', async () => {
    const seen = Promise.withResolvers<void>();
    await using stage = await startStage((incoming, response) => {
      response.write('first');
      incoming.on('close', () => seen.resolve());
    });
    const gone = new AbortController();
    const { body } = await stage.gateway.forward(stage.endpoint, request, gone.signal);
    gone.abort();
    await assert.rejects(async () => {
      for await (const _ of body);
    });
    await seen.promise;
  });

  test('passes a body and a refused upgrade on', async () => {
    await using stage = await startStage((incoming, response) => {
      void text(incoming).then(body => response.writeHead(404, { 'x-own': '1' }).end(`got ${body}`));
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      yield Buffer.from('b');
    }
    const sent = { ...request, method: 'POST', body: body() };
    const { status, headers, body: answer } = await stage.gateway.forward(stage.endpoint, sent, never);
    assert.deepEqual([status, headers['x-own'], await text(answer)], [404, '1', 'got ab']);
    const refused = await stage.gateway.upgrade(stage.endpoint, request, never);
    assert.ok('body' in refused && refused.status === 404);
    assert.equal(await text(refused.body), 'got ');
  });
});
