import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createCloudHttp, retryAfterOf } from './cloud-http.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');

for (const { header, seconds } of [
  { header: '17', seconds: 17 },
  { header: 'Tue, 01 Jan 2030 00:01:00 GMT', seconds: 60 },
  { header: '86400', seconds: 3600 },
  { header: 'Tue, 01 Jan 2030 12:00:00 GMT', seconds: 3600 },
  { header: 'Mon, 31 Dec 2029 23:59:00 GMT', seconds: undefined },
  { header: '0', seconds: undefined },
  { header: '-5', seconds: undefined },
  { header: 'soon', seconds: undefined },
  { header: '', seconds: undefined },
  { header: undefined, seconds: undefined },
])
  test(`a response that says "${header}" asks to wait for ${seconds ?? 'no'} seconds`, () => {
    assert.equal(retryAfterOf(header, nowMs), seconds);
  });

for (const { how, end } of [
  { how: 'ends', end: (socket: Socket) => void socket.end() },
  { how: 'resets', end: (socket: Socket) => void socket.resetAndDestroy() },
])
  test(`a server that ${how} connections is said to close them`, async () => {
    const server = createServer(end).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const call = createCloudHttp({ cloud: 'AWS' });
    await assert.rejects(call({ method: 'GET', url, headers: {} }, AbortSignal.timeout(10_000)), {
      code: 'CloudUnreachable',
      message: `AWS does not respond at ${url.host}: it closes the connection`,
    });
    server.close();
  });
