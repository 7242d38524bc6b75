import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually, freePort } from '@chandlery/testing';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectNotifications } from './notification-connection.ts';
import { NotificationListener } from './notification-listener.ts';

interface Script {
  readonly reject?: (request: IncomingMessage) => number | undefined;
  /** The body of a rejection. Default: none. */
  readonly rejection?: string;
  readonly handshakeHeaders?: readonly string[];
  readonly onSocket?: (socket: WebSocket) => void;
  /** Default true. */
  readonly autoPong?: boolean;
}

/** A service manager that only sends notifications, as the script says. */
async function startTeller({
  reject,
  rejection = '',
  handshakeHeaders = ['last_notification_revision: 7', 'max_ping_period: 30s'],
  onSocket,
  autoPong = true,
}: Script) {
  const urls: string[] = [];
  const said: string[] = [];
  const sockets = new WebSocketServer({ noServer: true, autoPong });
  sockets.on('headers', headers => void headers.push(...handshakeHeaders));
  const server = createServer().on('upgrade', (request, socket, head) => {
    urls.push(request.url ?? '');
    const status = reject?.(request);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n${rejection}`);
    sockets.handleUpgrade(request, socket, head, accepted => {
      accepted.on('message', (data: Buffer) => void said.push(data.toString()));
      accepted.on('ping', () => void said.push('ping'));
      onSocket?.(accepted);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    urls,
    said,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const connect = (url: string) =>
  connectNotifications({
    ...{ url, username: 'u', password: 'p', revision: undefined, pongTimeoutMs: 1000, minPingPeriodMs: 1 },
    ...{ agentVersion: 'test', onMessage: () => undefined },
  });

test('a connection that cannot be made says what to correct', async () => {
  await using server = await startTeller({ reject: () => 401 });
  await assert.rejects(connect(server.url), { code: 'ConnectionRefused', hint: /platform update NAME -c/ });
  const nobody = `http://127.0.0.1:${await freePort()}`;
  await assert.rejects(connect(nobody), { code: 'ConnectionFailed', hint: /--service-manager-url/ });
});

function listen(url: string, onActivity: string[], { revision }: { revision?: number | undefined } = {}) {
  let handled = revision;
  return new NotificationListener({
    url,
    username: 'u',
    password: 'p',
    pongTimeoutMs: 50,
    minPingPeriodMs: 1,
    reconnectDelayMs: 10,
    agentVersion: 'test',
    logger: silentLogger,
    revision: () => handled,
    onPlatformDeleted: () => void onActivity.push('deleted'),
    onGone: () => {
      handled = undefined;
      onActivity.push('gone');
    },
    onStart: newest => void onActivity.push(`start ${newest}`),
    onMessage: ({ revision: received }) => void onActivity.push(`message ${received}`),
  });
}

const frame = JSON.stringify({ id: 'n', resource: '/v1/visibilities', type: 'CREATED', revision: 8, payload: {} });

test('a revision that cannot be resumed from is forgotten, and everything is compared at once', async () => {
  const reject = ({ url }: IncomingMessage) => (url?.includes('last_notification_revision') ? 410 : undefined);
  await using teller = await startTeller({ reject });
  const onActivity: string[] = [];
  await using _listener = listen(teller.url, onActivity, { revision: 3 });
  await eventually(() => onActivity.length === 2);
  assert.deepEqual(onActivity, ['gone', 'start 7']);
  assert.deepEqual(teller.urls, ['/v1/notifications?last_notification_revision=3', '/v1/notifications']);
});

test('a connection that breaks is resumed from the revision that was handled last', async () => {
  let connections = 0;
  await using teller = await startTeller({
    onSocket: socket => {
      if (++connections === 1) socket.terminate();
      else socket.send(frame);
    },
  });
  const onActivity: string[] = [];
  await using listener = listen(teller.url, onActivity, { revision: 7 });
  await eventually(() => onActivity.includes('message 8'));
  assert.deepEqual(new Set(teller.urls), new Set(['/v1/notifications?last_notification_revision=7']));
  await eventually(() => listener.isConnected);
  listener.acknowledge(8);
  await eventually(() => teller.said.includes('{"ack":8}'));
});

test('a server that does not answer pings is left and connected to again', async () => {
  await using teller = await startTeller({
    handshakeHeaders: ['max_ping_period: 50ms'],
    autoPong: false,
  });
  const onActivity: string[] = [];
  await using _listener = listen(teller.url, onActivity);
  await eventually(() => teller.urls.length >= 2);
  assert.equal(onActivity[0], 'start undefined');
});

test('a handshake without a ping period is rejected', async () => {
  await using teller = await startTeller({ handshakeHeaders: [] });
  const onActivity: string[] = [];
  await using listener = listen(teller.url, onActivity);
  await eventually(() => teller.urls.length >= 2);
  assert.deepEqual(onActivity, []);
  assert.equal(listener.isConnected, false);
});

const rejections = [
  { why: 'no body', rejection: '' },
  { why: 'a page of something in between', rejection: '<html>PlatformDeleted</html>' },
  { why: 'another error', rejection: '{"error":"Unauthorized","description":"PlatformDeleted"}' },
];
for (const { why, rejection } of rejections)
  test(`a 401 with ${why} does not mean that the platform was deleted`, async () => {
    await using teller = await startTeller({ reject: () => 401, rejection });
    const onActivity: string[] = [];
    await using _listener = listen(teller.url, onActivity);
    await eventually(() => teller.urls.length >= 3);
    assert.deepEqual(onActivity, []);
  });

test('a platform that was deleted is reported once, and nothing is connected to any more', async () => {
  await using teller = await startTeller({ reject: () => 401, rejection: '{"error":"PlatformDeleted"}' });
  const onActivity: string[] = [];
  await using listener = listen(teller.url, onActivity);
  await eventually(() => onActivity.length > 0);
  await listener[Symbol.asyncDispose]();
  assert.deepEqual(onActivity, ['deleted']);
  assert.equal(teller.urls.length, 1);
});
