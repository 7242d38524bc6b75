import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { WebSocket } from 'ws';
import { newPlatformCredentials } from '../../actions/platform-credentials.ts';
import { type PlatformRow, type Registry, removeRow, updateRow } from '../../model/rows.ts';
import { seedPlatform, startTestRegistry } from '../../test-registry.ts';
import { basic, requestWith, seedKnownPlatform, startAuthenticator } from '../authentication/test-authentication.ts';
import { connectProxy, notify, startNotifications, startServer } from './test-notifications.ts';

/** Made when it is needed: the file may be loaded long before its tests run. */
const grace = (): AbortSignal => AbortSignal.timeout(30_000);
const closing = async (socket: WebSocket) => (await once(socket, 'close')) as [number, Buffer];
const untilConnected = (registry: Registry, { id }: PlatformRow, isConnected: boolean) =>
  registry.platforms.until(id, row => row?.status.isConnected === isConnected, grace()) as Promise<PlatformRow>;

suite('connections of proxies', () => {
  test('pings and acknowledgements get a reply; other messages are ignored', async () => {
    await using sm = await startNotifications();
    const { authorization } = await seedKnownPlatform(sm.registry);
    using proxy = await connectProxy(sm.address, { authorization });
    proxy.socket.ping('are you there');
    const [pong] = (await once(proxy.socket, 'pong')) as [Buffer];
    assert.equal(String(pong), 'are you there');
    for (const words of ['{"ack":"7"}', 'null', 'nonsense', '{"ack":42}']) proxy.socket.send(words);
    assert.deepEqual(await proxy.heard(1), [{ acked: 42 }]);
  });

  test('silence closes a connection, pings keep it', async () => {
    await using sm = await startNotifications({ maxPingPeriodMs: 1000 });
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using silent = await connectProxy(sm.address, { authorization });
    using alive = await connectProxy(sm.address, { authorization });
    const pinging = setInterval(() => alive.socket.ping(), 50);
    const [code] = await closing(silent.socket);
    clearInterval(pinging);
    assert.equal(code, 1008);
    assert.equal(alive.socket.readyState, alive.socket.OPEN);
    assert.equal(sm.registry.platforms.get(platform.id)?.status.isConnected, true);
  });

  test('the platform shows its connection and what its proxy calls itself, and nothing new is not written', async () => {
    await using sm = await startNotifications();
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using proxy = await connectProxy(sm.address, { authorization, agentVersion: '1.2.3' });
    const { status, revision } = sm.registry.platforms.get(platform.id) as PlatformRow;
    assert.deepEqual([status.isConnected, status.agentVersion], [true, '1.2.3']);
    proxy.socket.ping();
    await once(proxy.socket, 'pong');
    assert.equal(sm.registry.platforms.get(platform.id)?.revision, revision);
    proxy.socket.close();
    const left = await untilConnected(sm.registry, platform, false);
    assert.ok((left.status.lastActiveAt ?? '') > (status.lastActiveAt ?? ''));
    assert.equal(left.status.agentVersion, '1.2.3');
  });

  test('pings renew the last activity of a platform', async () => {
    await using sm = await startNotifications({ maxPingPeriodMs: 600 });
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using proxy = await connectProxy(sm.address, { authorization });
    const { lastActiveAt = '' } = sm.registry.platforms.get(platform.id)?.status ?? {};
    const pinging = setInterval(() => proxy.socket.ping(), 50);
    const isLater = (row: PlatformRow | undefined) => (row?.status.lastActiveAt ?? '') > lastActiveAt;
    await sm.registry.platforms.until(platform.id, isLater, grace());
    clearInterval(pinging);
  });

  test('each connection of a platform receives all notifications, and the platform is connected until the last closes', async () => {
    await using sm = await startNotifications();
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using first = await connectProxy(sm.address, { authorization });
    using second = await connectProxy(sm.address, { authorization });
    const { id } = await notify(sm.registry);
    for (const proxy of [first, second]) assert.equal((await proxy.heard(1))[0]?.id, id);
    first.socket.close();
    await once(first.socket, 'close');
    second.socket.ping();
    await once(second.socket, 'pong');
    assert.equal(sm.registry.platforms.get(platform.id)?.status.isConnected, true);
    second.socket.close();
    await untilConnected(sm.registry, platform, false);
  });

  test('two replicas agree that a platform is connected as long as it is to one of them', async () => {
    await using sm = await startNotifications();
    await using replica = await startServer(sm);
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using here = await connectProxy(sm.address, { authorization });
    using there = await connectProxy(replica.address, { authorization });
    const rows: (boolean | undefined)[] = [];
    sm.registry.platforms.listen(({ row }) => void rows.push(row.status.isConnected));
    here.socket.close();
    await untilConnected(sm.registry, platform, false);
    await untilConnected(sm.registry, platform, true);
    assert.deepEqual(rows.slice(0, 2), [false, true]);
    assert.equal(there.socket.readyState, there.socket.OPEN);
  });

  test('a connection with new credentials activates them and ends the old ones and their connections', async () => {
    await using sm = await startNotifications();
    const { registry } = sm;
    const { authorization, platform, login } = await seedKnownPlatform(registry);
    using first = await connectProxy(sm.address, { authorization });
    const active = registry.platforms.get(platform.id) as PlatformRow;
    assert.equal(active.status.credentials?.isActive, true);

    const renewed = newPlatformCredentials();
    const status = {
      ...active.status,
      credentials: renewed.stored,
      oldCredentials: active.status.credentials as never,
    };
    await registry.commit([updateRow({ table: 'platforms', row: active, status })]);
    using again = await connectProxy(sm.address, { authorization });
    assert.equal(registry.platforms.get(platform.id)?.status.credentials?.isActive, false, 'old ones confirm nothing');
    assert.equal(first.socket.readyState, first.socket.OPEN);

    const ended = Promise.all([closing(first.socket), closing(again.socket)]);
    using second = await connectProxy(sm.address, { authorization: basic(renewed.username, renewed.password) });
    const { credentials, oldCredentials } = registry.platforms.get(platform.id)?.status ?? {};
    assert.deepEqual([credentials?.isActive, oldCredentials], [true, undefined]);
    await assert.rejects(startAuthenticator(registry).authenticate(requestWith(basic(login.username, login.password))));
    assert.deepEqual(
      (await ended).map(([code]) => code),
      [1008, 1008],
    );
    assert.equal(second.socket.readyState, second.socket.OPEN);
  });

  test('a platform that is removed is sent away', async () => {
    await using sm = await startNotifications();
    const { authorization, platform } = await seedKnownPlatform(sm.registry);
    using proxy = await connectProxy(sm.address, { authorization });
    const row = sm.registry.platforms.get(platform.id) as PlatformRow;
    const [closed] = await Promise.all([closing(proxy.socket), sm.registry.commit([removeRow('platforms', row)])]);
    assert.equal(closed[0], 1008);
  });

  test('what a dead replica left behind is corrected, and the time stays', async () => {
    await using sm = await startNotifications({ maxPingPeriodMs: 100 });
    const lastActiveAt = '2020-01-01T00:00:00.000000Z';
    const platform = await seedPlatform(sm.registry, { status: { isConnected: true, lastActiveAt } });
    const { status } = await untilConnected(sm.registry, platform, false);
    assert.equal(status.lastActiveAt, lastActiveAt);
  });

  test('a shutdown closes connections and marks platforms as disconnected', async () => {
    await using test = await startTestRegistry();
    const { authorization, platform } = await seedKnownPlatform(test.registry);
    const server = await startServer(test);
    using proxy = await connectProxy(server.address, { authorization });
    const [[code]] = await Promise.all([closing(proxy.socket), server[Symbol.asyncDispose]()]);
    assert.equal(code, 1001);
    assert.equal(test.registry.platforms.get(platform.id)?.status.isConnected, false);
  });

  test('a proxy that does not read is cut off, and can catch up with more than may wait', async () => {
    await using sm = await startNotifications();
    const { registry } = sm;
    const { authorization } = await seedKnownPlatform(registry);
    const start = await notify(registry);
    await eventually(async () => {
      using _probe = await connectProxy(sm.address, { authorization, revision: start.revision });
      return true;
    });
    using slow = await connectProxy(sm.address, { authorization });
    slow.socket.pause();
    const text = 'x'.repeat(700_000);
    for (let count = 0; count < 45; count++) await notify(registry, undefined, { text });
    const isCut = once(slow.socket, 'close');
    slow.socket.resume();
    await isCut;
    assert.ok(slow.messages.length < 45);
    using later = await connectProxy(sm.address, { authorization, revision: start.revision });
    assert.equal((await later.heard(45)).length, 45);
  });

  test('a proxy that reads is not disconnected by a burst of notifications', async () => {
    await using sm = await startNotifications();
    const { authorization } = await seedKnownPlatform(sm.registry);
    using proxy = await connectProxy(sm.address, { authorization });
    const text = 'x'.repeat(700_000);
    await Promise.all(Array.from({ length: 15 }, () => notify(sm.registry, undefined, { text })));
    assert.equal((await proxy.heard(15)).length, 15);
  });
});
