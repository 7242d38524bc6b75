import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, findEnvoy } from '@chandlery/testing';
import { allowCalls } from '../conformance/xds/support/declare-service.ts';
import { namespace, portName, refs } from '../conformance/xds/support/mesh-landscape.ts';
import { type MachineMesh, startMachineMesh } from './support/machine-mesh.ts';

const found = await findEnvoy();
const skip = found.path === undefined && found.reason;
const patience = { timeoutMs: 60_000 };
/** Envoy's drain time is five seconds here, as documented; the rest is for slow machines. */
const maxCloseMs = 30_000;
/** Longer than the usual idle timeout of servers. */
const idleMs = 7000;

/** The response of a connection to a request; rejects when it is closed before. */
async function askOn(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nhost: books\r\n\r\n');
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed')));
  closed.catch(() => undefined);
  const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
  return answer.toString().slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
}

function open(address: { readonly host: string; readonly port: number }): Socket {
  return connect(address).on('error', () => undefined);
}

const isServed = async (address: { readonly host: string; readonly port: number }): Promise<boolean> => {
  const socket = open(address);
  try {
    return (await askOn(socket)) === '200';
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Keeps the caller's access to HTTP requests, for which it has no port, and revokes that to connections. */
const allowRequestsOnly = ({ mesh }: MachineMesh): Promise<unknown> =>
  mesh.client.patch(
    { ...refs.targets, namespace, name: 'books' },
    { type: 'merge', body: { spec: { rules: [{ kind: 'HTTPRouteGroup', name: 'books' }] } } },
  );

describe('Connections between Envoys', { skip }, () => {
  let world: MachineMesh;
  before(async () => {
    world = await startMachineMesh({ binary: found.path ?? '', count: 1, portName: 'raw' });
    await eventually(() => isServed(world.books), { ...patience, what: 'books to be served' });
  });
  after(() => world?.[Symbol.asyncDispose]());

  test('are TLS 1.3, as those to the control plane are', async () => {
    const versions = await world.caller.counters(/^cluster\..*\.ssl\.versions\./);
    const used = versions.filter(({ value }) => value > 0).map(({ name }) => name);
    assert.ok(used.some(name => name.includes('books')));
    assert.ok(used.some(name => name.includes('chandlery-xds')));
    assert.deepEqual(
      used.filter(name => !name.endsWith('TLSv1.3')),
      [],
    );
  });

  test('are rejected without TLS', async () => {
    const [machine] = world.machines;
    assert.ok(machine);
    assert.equal(await isServed(machine.address), false);
  });

  test('are closed by the server when TCP is allowed no longer, while the caller may still call the service', async context => {
    const socket = open(world.books);
    assert.equal(await askOn(socket), '200');
    await pause(idleMs);
    assert.equal(await askOn(socket), '200', 'a connection that is allowed stays open');
    const closedAt = once(socket, 'close').then(() => performance.now());
    context.after(async () => {
      await allowCalls(world.mesh.client, { name: 'books', from: ['web'], to: 'books' });
      await eventually(() => isServed(world.books), { ...patience, what: 'books to be served again' });
    });
    await allowRequestsOnly(world);
    const revokedAt = performance.now();
    await eventually(async () => !(await isServed(world.books)), {
      ...patience,
      what: 'new connections to be refused',
    });
    const tookMs = (await Promise.race([closedAt, pause(maxCloseMs, Number.NaN, { ref: false })])) - revokedAt;
    assert.ok(tookMs < maxCloseMs, `the open connection was still open ${maxCloseMs} ms after its access was revoked`);
    const { activeClusters } = await world.caller.config();
    assert.ok(activeClusters.includes(portName('books', world.books.port)), 'not the caller has closed it');
  });

  test('are closed when the policy that allowed them is deleted, also open ones', async () => {
    const socket = open(world.books);
    assert.equal(await askOn(socket), '200');
    const closed = once(socket, 'close');
    await world.mesh.client.delete({ ...refs.targets, namespace, name: 'books' });
    await eventually(async () => !(await isServed(world.books)), {
      ...patience,
      what: 'new connections to be refused',
    });
    await Promise.race([closed, eventually(() => socket.destroyed, { ...patience, what: 'the old one to be closed' })]);
  });
});

describe('A port that is open without TLS', { skip }, () => {
  test('accepts calls of the mesh and of other callers', async () => {
    await using world = await startMachineMesh({ binary: found.path ?? '', count: 1, isPlaintext: true });
    await eventually(() => isServed(world.books), { ...patience, what: 'books to be served' });
    const [machine] = world.machines;
    assert.ok(machine);
    assert.equal(await isServed(machine.address), true);
  });
});
