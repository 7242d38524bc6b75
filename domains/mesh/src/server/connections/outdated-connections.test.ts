import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../model/resource.ts';
import type { TestXdsConnection } from '../../test-xds-client/test-connect-xds.ts';
import type { TestXdsStream } from '../../test-xds-client/test-xds-stream.ts';
import { type ClientCertificate, TestRoot } from '../test-mesh-authority.ts';
import { startTestServer, type TestServer, testIdentity } from '../test-server.ts';
import { chooseDue, isOutdated } from './outdated-connections.ts';

const graceMs = 20_000;
const limits = { checkIntervalMs: 5, outdatedGraceMs: graceMs };

interface Client {
  readonly connection: TestXdsConnection;
  readonly stream: TestXdsStream;
}

async function join(mesh: TestServer, proxyId: string, certificate?: ClientCertificate): Promise<Client> {
  const connection = await mesh.connect({ identity: { proxyId }, ...(certificate && { certificate }) });
  const stream = connection.open({ autoAck: true });
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  return { connection, stream };
}

describe('When another root signs', () => {
  test('clients with certificates of the old one are asked to reconnect, and stay with the new one', async () => {
    const clock = new ManualClock(new Date());
    await using mesh = await startTestServer({ clock, limits });
    mesh.view.set('cluster', 'a');
    const oldRoot = mesh.authority.root;
    const old = await join(mesh, 'old');
    const goaway = once(old.connection.session, 'goaway');
    mesh.authority.setRoots([oldRoot, new TestRoot()]);
    const fresh = await join(mesh, 'fresh');
    clock.advance(graceMs - 1);
    mesh.view.set('cluster', 'b');
    assert.equal((await old.stream.next()).resources.length, 2, 'its agent has time to renew its certificate');
    assert.equal(old.stream.end, undefined);
    clock.advance(1);
    const { code, message } = await old.stream.ended();
    assert.equal(code, status.UNAVAILABLE);
    assert.match(message, /another root.*renewed certificate/);
    await goaway;
    await eventually(() => old.connection.session.destroyed, { what: 'the old connection to be closed' });
    assert.deepEqual([...mesh.registry.expected], ['old'], 'what it announces stays until it is back');
    const again = await join(mesh, 'old');
    clock.advance(10 * graceMs);
    mesh.view.set('cluster', 'c');
    for (const { stream } of [fresh, again]) {
      await stream.waitFor(() => stream.responses.at(-1)?.resources.length === 3 || undefined);
      assert.equal(stream.end, undefined);
    }
    assert.equal(new Set([...mesh.server.listClients()].map(client => client.rootFingerprint)).size, 1);
  });

  test('a client that reconnects with the old certificate is served, and asked again later', async () => {
    const clock = new ManualClock(new Date());
    await using mesh = await startTestServer({ clock, limits });
    mesh.view.set('cluster', 'a');
    const oldRoot = mesh.authority.root;
    const certificate = oldRoot.issue({ ...testIdentity, proxyId: 'stuck' });
    const first = await join(mesh, 'stuck', certificate);
    mesh.authority.setRoots([oldRoot, new TestRoot()]);
    clock.advance(graceMs);
    await first.stream.ended();
    const second = await join(mesh, 'stuck', certificate);
    clock.advance(2 * graceMs);
    mesh.view.set('cluster', 'b');
    await second.stream.next();
    assert.equal(second.stream.end, undefined);
    clock.advance(graceMs);
    assert.equal((await second.stream.ended()).code, status.UNAVAILABLE);
  });
});

describe('A connection', () => {
  const at = (seconds: number): Date => new Date(seconds * 1000);
  const allAtOnce = { outdatedGraceMs: graceMs, maxOutdatedPerSecond: 100 };
  const signer = { fingerprint: 'new', since: at(100) };
  const outdated = { openedAt: at(50), isRetired: false, rootFingerprint: 'old' };

  for (const [why, connection, expected] of [
    ['of the old root is outdated', outdated, true],
    ['of the new root is not outdated', { ...outdated, rootFingerprint: 'new' }, false],
    ['that has proved nothing is not outdated', { ...outdated, rootFingerprint: undefined }, false],
    ['that was asked already is not outdated', { ...outdated, isRetired: true }, false],
  ] as const)
    test(why, () => {
      assert.equal(isOutdated(connection, signer), expected);
      assert.equal(isOutdated(connection, { ...signer, fingerprint: undefined }), false, 'while nobody can sign');
    });

  for (const [why, openedAt, now, expected] of [
    ['from before, in the time of its agent', at(50), at(119), false],
    ['from before, after that', at(50), at(120), true],
    ['from after the change', at(101), at(160), false],
    ['from after the change, much later', at(101), at(161), true],
  ] as const)
    test(`${why}: ${expected ? 'is due' : 'is not due'}`, () => {
      const connection = { ...outdated, openedAt };
      assert.deepEqual(chooseDue([connection], signer, { now, limits: allAtOnce }), expected ? [connection] : []);
    });

  test('is asked in batches: at most as many in a second as can reconnect', () => {
    const connections = Array.from({ length: 5 }, () => ({ ...outdated }));
    const few = { ...allAtOnce, maxOutdatedPerSecond: 2 };
    assert.deepEqual(chooseDue(connections, signer, { now: at(120), limits: few }), connections.slice(0, 2));
  });
});
