import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { TestMeshAuthority, TestRoot } from '../../domains/mesh/src/server/test-mesh-authority.ts';
import { frameMessage } from '../../domains/mesh/src/xds/frame-message.ts';
import { RawConnection } from './raw-connection.ts';
import { encodeRequestHeaders } from './request-headers.ts';
import { Workbench } from './workbench.ts';

type Serve = (stream: ServerHttp2Stream) => void;

const authority = new TestMeshAuthority();
const place = { trustDomain: 'cluster.local', tenant: 'acme', cluster: 'eu-1', namespace: 'shop' };
const client = authority.root.issue({ ...place, serviceAccount: 'web' });
const headers = encodeRequestHeaders({ authority: 'localhost', path: '/greeter/Greet' });

/** A plain Node server that closes with the stack. Resolves with its port. */
async function startServer(stack: DisposableStack, serve: Serve): Promise<number> {
  const { chain: cert, privateKey: key } = authority.serverCertificate(['127.0.0.1']);
  const server = createSecureServer({ cert, key, ca: authority.trustBundle, requestCert: true });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', session => sessions.add(session));
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    stream.respond({ 'content-type': 'application/grpc' });
    serve(stream);
  });
  stack.defer(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Connected {
  readonly connection: RawConnection;
  readonly failure: Promise<Error>;
}

async function connectTo(stack: DisposableStack, port: number, ca = authority.trustBundle): Promise<Connected> {
  const { promise: failure, resolve: onFailure } = Promise.withResolvers<Error>();
  const options = { port, tls: { ca, ...client }, workbench: new Workbench(), onFailure };
  const connection = stack.adopt(await RawConnection.open(options), opened => opened.close());
  return { connection, failure };
}

test('streams of a connection receive and send messages of any length', async () => {
  using stack = new DisposableStack();
  const greetings = ['hello', '', 'long '.repeat(20_000), 'you'];
  const port = await startServer(stack, stream => {
    stream.write(Buffer.concat(greetings.map(greeting => frameMessage(Buffer.from(greeting)))));
    stream.pipe(stream);
  });
  const { connection, failure } = await connectTo(stack, port);
  const talk = (said: string): Promise<string[]> => {
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const send = connection.openStream(headers, message => {
      heard.push(message.toString());
      if (heard.length === greetings.length) send(frameMessage(Buffer.from(said)));
      if (heard.length > greetings.length) resolve(heard);
    });
    return promise;
  };
  const all = Promise.all(['one', 'two', 'three'].map(talk));
  connection.flush();
  const heard = await Promise.race([all, failure]);
  assert.deepEqual(
    heard,
    ['one', 'two', 'three'].map(said => [...greetings, said]),
  );
});

test('the end of a stream is a failure with its reason', async () => {
  const ends: readonly (readonly [serve: Serve, why: RegExp])[] = [
    [stream => stream.end(), /the server ended stream 1/],
    [stream => stream.destroy(new Error('broken')), /the server reset stream 1 with code 2/],
    [stream => stream.session?.goaway(2, 0, Buffer.from('tired')), /goodbye with code 2: "tired"/],
    [stream => stream.session?.destroy(), /goodbye|closed/],
    [stream => stream.write(Buffer.from([1, 0, 0, 0, 0])), /compressed/],
  ];
  for (const [serve, why] of ends) {
    using stack = new DisposableStack();
    const { connection, failure } = await connectTo(stack, await startServer(stack, serve));
    connection.openStream(headers, () => undefined);
    connection.flush();
    assert.match((await failure).message, why);
  }
});

test("no client sends more than the server's window", async () => {
  using stack = new DisposableStack();
  const { connection } = await connectTo(stack, await startServer(stack, () => undefined));
  const send = connection.openStream(headers, () => undefined);
  for (let sent = 0; sent < 4; sent++) send(Buffer.alloc(16_000));
  assert.throws(() => send(Buffer.alloc(16_000)), /no room/);
});

test('a server that is not there, or that another authority has signed, is not connected to', async () => {
  using stack = new DisposableStack();
  const port = await startServer(stack, () => undefined);
  await assert.rejects(connectTo(stack, port, new TestRoot().signer.certificatePem), /certificate/);
  stack.dispose();
  await assert.rejects(connectTo(new DisposableStack(), port), /ECONNREFUSED/);
});
