import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RunningProcess } from '@chandlery/testing';
import { conditionOf, gone, isTrue, seen } from '../provider-validation/support/people.ts';
import type { PlatformLogin } from '../two-platforms/support/proxies.ts';
import { platform, type ShoreWorld, startShoreWorld } from './support/shore-world.ts';

const serviceInstance = {
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceInstance',
  metadata: { name: 'db', namespace: 'default' },
  spec: { offering: 'database', plan: 'sync' },
};
const serviceBinding = {
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceBinding',
  metadata: { name: 'db-access', namespace: 'default' },
  spec: { instance: 'db' },
};
/** Registered by the user of the cluster, and none of the proxy's business. */
const foreignBroker = {
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceBroker',
  metadata: { name: 'foreign' },
  spec: { url: 'http://127.0.0.1:9' },
};
const ownBroker = 'sm-db-db';
/** How long a proxy whose login is wrong is left to itself; it tries again every 100 ms. */
const wrongLoginMs = 3000;

/** How the proxy of a platform goes, and what it takes along: its own, all of it, and nothing else. */
describe('The proxy of a platform', () => {
  let world: ShoreWorld;
  let login: PlatformLogin;
  /** Before the platform was registered; the proxy has been there, so that its kinds and its namespace are. */
  let unregistered: readonly string[];

  before(async () => {
    world = await startShoreWorld();
    // What the proxy installs before it has anything to register stays for the next one: kinds and a namespace.
    login = await world.register();
    await (await connected(login)).stop();
    assert.equal((await world.leave()).code, 0);
    await deletePlatform();
    await world.user.apply(foreignBroker);
    unregistered = await world.census();
  });
  after(() => world[Symbol.asyncDispose]());

  async function connected(as: PlatformLogin): Promise<RunningProcess> {
    const proxy = await world.startProxy(as);
    await seen(world.user, ['servicebroker', ownBroker], object => isTrue(object, 'Ready'));
    return proxy;
  }

  async function deletePlatform(query = ''): Promise<void> {
    const path = `/v1/platforms/${platform}`;
    await eventually(
      async () => [200, 202].includes((await world.manager.ask(`${path}${query}`, { method: 'DELETE' })).status),
      { timeoutMs: 30_000, what: 'the platform to be deleted once its proxy is known to be away' },
    );
    await eventually(async () => (await world.manager.ask(path)).status === 404, { timeoutMs: 30_000 });
  }

  async function orderAndBind(): Promise<void> {
    await world.user.apply(serviceInstance);
    await world.user.apply(serviceBinding);
    await world.user.run('wait', '--for=condition=Ready', 'serviceinstance/db', 'servicebinding/db-access');
    assert.deepEqual([world.broker.instances.size, world.broker.bindings.size], [1, 1]);
  }

  const becomes = (wanted: readonly string[]): Promise<unknown> =>
    eventually(
      async () => {
        assert.deepEqual(await world.census(), wanted);
        return true;
      },
      { timeoutMs: 60_000, pauseMs: 500, what: 'everything to be as before' },
    );

  it('does not leave while its brokers are in use, and then leaves without a trace', async () => {
    login = await world.register();
    const proxy = await connected(login);
    await orderAndBind();
    await proxy.stop();
    const inUse = await world.census();
    const refused = await world.leave();
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, /sm-db-db: in use by ServiceInstance default\/db/);
    assert.deepEqual(await world.census(), inUse, 'a leave that was refused has changed nothing');
    const again = await connected(login);
    await world.user.run('delete', 'servicebinding/db-access', 'serviceinstance/db', '--timeout=60s');
    assert.deepEqual([world.broker.instances.size, world.broker.bindings.size], [0, 0]);
    await again.stop();
    const left = await world.leave();
    assert.equal(left.code, 0, left.stderr);
    assert.match(left.stdout, /brokers deregistered: 1/);
    assert.match(await world.user.run('get', 'servicebrokers', '-o', 'name'), /^\S+\/foreign$/m);
    await deletePlatform();
    await becomes(unregistered);
    assert.match((await world.leave()).stdout, /brokers deregistered: 0/);
  });

  it('removes nothing because of a mere 401', async () => {
    login = await world.register();
    await (await connected(login)).stop();
    const before = await world.census();
    const proxy = await world.startProxy({ ...login, password: 'wrong' });
    await sleep(wrongLoginMs);
    assert.match(proxy.output(), /401/);
    assert.doesNotMatch(proxy.output(), /PlatformDeleted/);
    assert.deepEqual(await world.census(), before);
    await proxy.stop();
  });

  it('removes what it made when the service manager says that the platform was deleted for good', async () => {
    const proxy = await connected(login);
    await orderAndBind();
    await proxy.stop();
    await deletePlatform('?cascade=true');
    assert.deepEqual([world.broker.instances.size, world.broker.bindings.size], [0, 0]);
    const late = await world.startProxy(login);
    await gone(world.user, ['servicebroker', ownBroker]);
    for (const place of [
      ['serviceinstance', 'db', 'default'],
      ['servicebinding', 'db-access', 'default'],
    ] as const)
      await seen(world.user, place, object => conditionOf(object, 'Ready')?.reason === 'PlatformRemoved');
    await world.user.run('delete', 'servicebinding/db-access', 'serviceinstance/db', '--timeout=60s');
    await late.stop();
    await becomes(unregistered);
  });
});
