import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, createServer as createPlainServer } from 'node:net';
import { test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueCertificate, silentLogger } from '@chandlery/platform';
import { readClientHello } from './client-hello.ts';
import { type Backend, startSniRouter } from './sni-router.ts';

const authority = createCertificateAuthority({ commonName: 'test', now: new Date() });

/** A TLS server that sends its name to every client. */
async function startInstance(host: string): Promise<Backend & AsyncDisposable> {
  const { certificatePem: cert, privateKeyPem: key } = issueCertificate(authority, {
    commonName: host,
    usages: ['server'],
    dnsNames: [host],
    now: new Date(),
  });
  const server = createServer({ cert, key }, socket => void socket.end(`I am ${host}`)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: '127.0.0.1', port, [Symbol.asyncDispose]: async () => void server.close() };
}

async function read(socket: TLSSocket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const talk = (port: number, servername: string): Promise<string> =>
  read(connect({ host: '127.0.0.1', port, servername, ca: authority.certificatePem }));

test('each connection reaches the instance that its client names, whose certificate verifies', async () => {
  await using rex = await startInstance('rex.example.com');
  await using tea = await startInstance('tea.example.com');
  const backends = new Map<string, Backend>([
    ['rex.example.com', rex],
    ['tea.example.com', tea],
  ]);
  await using router = await startSniRouter({
    host: '127.0.0.1',
    port: 0,
    findBackend: name => backends.get(name),
    logger: silentLogger,
  });
  assert.equal(await talk(router.port, 'rex.example.com'), 'I am rex.example.com');
  assert.equal(await talk(router.port, 'tea.example.com'), 'I am tea.example.com');
  assert.equal(await talk(router.port, 'nobody.example.com').catch(() => ''), '');
  backends.set('rex.example.com', { address: '127.0.0.1', port: 1 });
  assert.equal(await talk(router.port, 'rex.example.com').catch(() => ''), '');
});

test('what is not TLS is hung up on', async () => {
  await using router = await startSniRouter({
    host: '127.0.0.1',
    port: 0,
    findBackend: () => undefined,
    logger: silentLogger,
  });
  const socket = connectPlain(router.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await once(socket, 'close');
});

test('the first bytes of a connection are read in any pieces and never throw', async () => {
  const hello = await captureHello('rex.example.com');
  assert.deepEqual(readClientHello(hello), { type: 'hello', serverName: 'rex.example.com' });
  for (let length = 0; length < hello.length; length++)
    assert.equal(readClientHello(hello.subarray(0, length)).type, 'incomplete', String(length));
  for (let at = 5; at < hello.length; at++) {
    const damaged = Buffer.from(hello);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    assert.ok(['hello', 'invalid', 'incomplete'].includes(readClientHello(damaged).type));
  }
});

async function captureHello(servername: string): Promise<Buffer> {
  const captured = Promise.withResolvers<Buffer>();
  const server = createPlainServer(socket =>
    socket.once('data', bytes => {
      captured.resolve(bytes as Buffer);
      socket.destroy();
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, servername }).on('error', () => undefined);
  const bytes = await captured.promise;
  client.destroy();
  server.close();
  return bytes;
}
