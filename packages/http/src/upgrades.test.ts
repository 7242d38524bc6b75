import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import type { HttpHost } from './http-host.ts';
import { type HttpLogger, silentLogger } from './logger.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';

const accepted = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
/** Echoes its input in capitals. */
const addEcho = (host: HttpHost): void =>
  host.upgradeUnder('/live', (_request, socket, head) => {
    socket.write(accepted + head.toString());
    socket.on('data', (chunk: Buffer) => void socket.write(chunk.toString().toUpperCase()));
    socket.on('end', () => socket.end());
  });

const wish = (path: string, protocol = 'websocket', more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;

describe('an upgrade', () => {
  for (const path of ['/live', '/live?last=7']) {
    test(`hands the connection over: ${path}`, async () => {
      await using server = await startTestHost(addEcho);
      const socket = await sendRaw(server.port, wish(path, 'WebSocket'));
      assert.equal(String((await once(socket, 'data'))[0]), accepted);
      socket.write('hello');
      assert.equal(String((await once(socket, 'data'))[0]), 'HELLO');
      socket.destroy();
    });
  }

  const ignored = [
    { path: '/live/more', protocol: 'websocket', status: 404, why: 'another path' },
    { path: '/live', protocol: 'h2c', status: 404, why: 'another protocol' },
    { path: '/livez', protocol: 'h2c', status: 200, why: 'another protocol on a path with an answer' },
  ];
  for (const { path, protocol, status, why } of ignored) {
    test(`without a handler is ignored: ${why}`, async () => {
      await using server = await startTestHost(addEcho);
      const socket = await sendRaw(server.port, wish(path, protocol));
      assert.match(String((await once(socket, 'data'))[0]), new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
    });
  }

  test('has the limits of all requests', async () => {
    await using server = await startTestHost(addEcho);
    const long = await sendRaw(server.port, wish(`/live?x=${'x'.repeat(17_000)}`));
    assert.match(await readAll(long), /^HTTP\/1.1 414 [\s\S]*UriTooLong/);
    const headers = Array.from({ length: 600 }, (_, index) => `a${index}: b\r\n`).join('');
    const many = await sendRaw(server.port, wish('/live', 'websocket', headers));
    assert.match(await readAll(many), /^HTTP\/1.1 431 /);
  });

  test('whose handler fails breaks nothing else', async () => {
    const logged: string[] = [];
    const logger: HttpLogger = { ...silentLogger, error: message => logged.push(message) };
    await using server = await startTestHost(
      host =>
        host.upgradeUnder('/live', () => {
          throw new TypeError('oops');
        }),
      { logger },
    );
    assert.equal(await readAll(await sendRaw(server.port, wish('/live'))), '');
    assert.deepEqual(logged, ['an upgrade failed unexpectedly']);
    assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  });

  test('that does not wait for the answer before it is cut off', async () => {
    const entered = Promise.withResolvers<void>();
    let upgrades = 0;
    await using server = await startTestHost(host => {
      host.handleUnder('/slow', () => entered.resolve());
      host.upgradeUnder('/live', () => void upgrades++);
    });
    const socket = await sendRaw(server.port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered.promise;
    const ended = once(socket, 'close').catch(() => undefined);
    socket.write(wish('/live'));
    await ended;
    assert.equal(upgrades, 0);
  });

  test('works over TLS as well', async () => {
    const now = new Date();
    const authority = createCertificateAuthority({ commonName: 'test', now });
    const { certificatePem: cert, privateKeyPem: key } = issueCertificate(authority, {
      commonName: 'server',
      ipAddresses: ['127.0.0.1'],
      usages: ['server'],
      now,
    });
    await using server = await startTestHost(addEcho);
    const { port } = await server.host.listen({ host: '127.0.0.1', port: 0, tls: { cert, key } });
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certificatePem });
    socket.write(wish('/live'));
    assert.equal(String((await once(socket, 'data'))[0]), accepted);
    socket.destroy();
  });

  test('survives a client that vanishes', async () => {
    await using server = await startTestHost(addEcho);
    const socket = await sendRaw(server.port, wish('/live'));
    await once(socket, 'data');
    socket.write('hello');
    socket.resetAndDestroy();
    assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  });
});

describe('closing', () => {
  test('cuts connections that stay open after the grace period', async () => {
    await using server = await startTestHost(addEcho);
    const socket = await sendRaw(server.port, wish('/live'));
    await once(socket, 'data');
    const ended = readAll(socket);
    await server.host.close({ graceMs: 10 });
    await ended;
  });

  test('does not wait for connections that their owner closes', async () => {
    await using server = await startTestHost(addEcho);
    const socket = await sendRaw(server.port, wish('/live'));
    await once(socket, 'data');
    const closing = server.host.close({ graceMs: 60_000 });
    socket.end();
    await closing;
  });

  test('takes no more connections over', async () => {
    await using server = await startTestHost(addEcho);
    const [begin, end] = [wish('/live').slice(0, 20), wish('/live').slice(20)];
    const socket = await sendRaw(server.port, begin);
    // An answer on a later connection means that the beginning has arrived.
    await fetch(`${server.url}/livez`, { headers: { connection: 'close' } });
    const closing = server.host.close({ graceMs: 30_000 });
    socket.write(end);
    assert.match(await readAll(socket), /^HTTP\/1.1 503 [\s\S]*shutting down/);
    await closing;
  });
});
