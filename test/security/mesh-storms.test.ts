import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import type { TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import type { TestXdsStream } from '../../domains/mesh/src/test-xds-client/test-xds-stream.ts';
import { portName } from '../conformance/xds/support/mesh-landscape.ts';
import { startForger } from './support/mesh-forger.ts';
import { type HostileMesh, startHostileMesh } from './support/mesh-hostile.ts';
import { encodeManyNames, madeUpNames } from './support/mesh-names.ts';

let hostile: HostileMesh;
let tls: TestTls;
let twin: TestTls;

before(async () => {
  hostile = await startHostileMesh();
  const forge = await startForger(hostile.mesh);
  tls = forge();
  twin = forge({ identity: { proxyId: 'twin' } });
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});
afterEach(async () => {
  await hostile.witness.seesChanges(1);
  hostile.witness.expectUndisturbed();
});

const patienceMs = 60_000;
const catalog = portName('catalog');

/** Only the witness is left. */
const allGone = () =>
  eventually(async () => (await hostile.metric('chandlery_mesh_connections')) === 1, {
    timeoutMs: patienceMs,
    what: 'the connections to be closed',
  });

/** Connects and subscribes to the service of the witness. */
async function join(stack: AsyncDisposableStack, nodeId: string, shown: TestTls): Promise<TestXdsStream> {
  const connection = stack.use(await hostile.mesh.connect({ account: 'web', nodeId }, shown));
  const stream = connection.open({ autoAck: true });
  stream.send({ typeUrl: typeUrls.endpoints, names: [catalog] });
  return stream;
}

test('a thousand proxies that connect at once are all served, get changes, and are dropped when they disconnect', async () => {
  await using stack = new AsyncDisposableStack();
  await hostile.withinMemory(60, async () => {
    const coming = Array.from({ length: 1_000 }, (_, no) => join(stack, `proxy-${no}`, tls));
    const witnessed = hostile.witness.seesChanges(3);
    const streams = await Promise.all(coming);
    for (const stream of streams) await stream.waitFor(([response]) => response, patienceMs);
    await witnessed;
    const before = new Map(streams.map(stream => [stream, stream.responses.length]));
    await hostile.witness.seesChanges(1);
    for (const stream of streams) {
      await stream.waitFor(responses => responses[before.get(stream) ?? 0], patienceMs);
      assert.equal(stream.end, undefined);
    }
  });
  await stack.disposeAsync();
  await allGone();
});

test('a proxy that connects again and again displaces itself only', async () => {
  await using stack = new AsyncDisposableStack();
  const streams: TestXdsStream[] = [];
  for (let no = 0; no < 50; no++) streams.push(await join(stack, 'twin', twin));
  const last = await eventually(
    () => {
      const open = streams.filter(({ end }) => end === undefined);
      return open.length === 1 && open[0]?.responses.length ? open[0] : undefined;
    },
    { timeoutMs: patienceMs },
  );
  const displaced = streams.filter(stream => stream !== last);
  assert.deepEqual(new Set(displaced.map(({ end }) => end?.code)), new Set([status.ABORTED]));
});

test('clients that never read cost a bounded amount of memory', async () => {
  // Each request gets a removal for each name, and nothing is ever read by the client.
  const request = encodeManyNames('subscribe', madeUpNames(15_000));
  await using stack = new AsyncDisposableStack();
  await hostile.withinMemory(120, async () => {
    for (let no = 0; no < 20; no++) {
      const connection = stack.use(await hostile.mesh.connect({ account: 'web', nodeId: `deaf-${no}` }, tls));
      const stream = connection.open({ mode: 'delta', neverReads: true });
      for (let again = 0; again < 3; again++) stream.sendBytes(request);
    }
    await hostile.witness.seesChanges(5);
    await eventually(async () => (await hostile.metric('chandlery_mesh_streams')) === 21, { timeoutMs: patienceMs });
  });
  await stack.disposeAsync();
  await allGone();
});

test('a client that opens and drops calls endlessly is disconnected, and leaves no state', async () => {
  await hostile.withinMemory(40, async () => {
    await using connection = await hostile.mesh.connect({ account: 'web', nodeId: 'nervous' }, tls);
    const openAndDrop = (): void => {
      for (let no = 0; no < 100; no++) {
        const stream = connection.open();
        stream.send({ typeUrl: typeUrls.cluster });
        stream.close();
      }
    };
    const { session } = connection.connection;
    await eventually(
      () => {
        if (!session.destroyed) openAndDrop();
        return session.destroyed;
      },
      { timeoutMs: patienceMs, what: 'the cut' },
    );
  });
  await allGone();
  assert.equal(await hostile.metric('chandlery_mesh_streams'), 1);
});

test('connections without a handshake, or with another protocol, do not delay others', async () => {
  const sockets = Array.from({ length: 200 }, () => connectTcp(hostile.mesh.landscape.xdsPort, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map(socket => once(socket, 'connect')));
  const talkers = sockets.slice(100);
  for (const socket of talkers) socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all(talkers.map(async socket => socket.closed || (await once(socket, 'close'))));
  await hostile.witness.seesChanges(2);
  for (const socket of sockets) socket.destroy();
});
