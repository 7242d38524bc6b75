import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { below, PeerHttp, type PeerHttpOptions } from './peer-http.ts';

async function startPeer(listener: RequestListener, options: Partial<PeerHttpOptions> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = new PeerHttp({ peer: 'the peer', timeoutMs: 300, ...options });
  return {
    http,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const isUnavailable = (error: unknown): boolean => isError(error, 'PeerUnavailable');

test('a peer that never answers is given up in time', async () => {
  await using peer = await startPeer(() => {});
  await assert.rejects(peer.http.send({ url: peer.url }), /no answer within 300 ms/);
});

test('a peer that stops within its answer is given up in time', async () => {
  await using peer = await startPeer((_request, response) => void response.write('begun'));
  await assert.rejects(peer.http.send({ url: peer.url }), isUnavailable);
});

test('an endless answer is cut off', async () => {
  await using peer = await startPeer((_request, response) => void response.end(Buffer.alloc(5000)), { maxBytes: 1000 });
  await assert.rejects(peer.http.send({ url: peer.url }), /more than 1000 bytes/);
});

test('a peer that is not there is unavailable', async () => {
  await using http = new PeerHttp({ peer: 'the peer' });
  await assert.rejects(http.send({ url: new URL('http://127.0.0.1:1/') }), isUnavailable);
});

test('redirects are not followed', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  });
  assert.equal((await peer.http.send({ url: peer.url })).status, 302);
});

test('only what a retry cannot mend is terminal', async () => {
  await using http = new PeerHttp({ peer: 'the peer' });
  const codeOf = (status: number) => (http.failure({ status, headers: {}, text: '' }, 'try') as { code?: string }).code;
  for (const status of [400, 401, 403, 404, 422]) assert.equal(codeOf(status), 'TerminalError', String(status));
  for (const status of [302, 408, 409, 429, 500, 503]) assert.equal(codeOf(status), 'PeerUnavailable', String(status));
});

test('a path below a base keeps the path of the base', () => {
  assert.equal(
    below(new URL('https://host/prefix/'), 'api/v1', [['a', 'b c']]).href,
    'https://host/prefix/api/v1?a=b+c',
  );
  assert.equal(below(new URL('https://host'), 'api').href, 'https://host/api');
});
