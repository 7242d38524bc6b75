import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import { collections, secretTexts } from './objects-of-cluster.ts';
import { persist } from './persist.ts';
import type { PlatformLogin } from './proxies.ts';
import { SteadyCalls } from './steady-calls.ts';
import { patience, type StoryStep } from './story-step.ts';
import { ids, place, type StoryWorld } from './story-world.ts';

const oldLogin = { username: 'admin', password: 'broker-password' };
const newLogin = { username: 'admin', password: 'another-password' };

/** With what each platform calls each broker, by `platform broker`. */
async function platformLogins(world: StoryWorld): Promise<Map<string, PlatformLogin>> {
  const logins = new Map<string, PlatformLogin>();
  // Platform A has the one broker that has something for it.
  const { username = '', password = '' } = await secretTexts(world, collections.brokerSecrets, ids.databases);
  logins.set(`${ids.cluster} ${ids.databases}`, { username, password });
  for (const id of [ids.databases, ids.queues]) {
    const entry = [...world.cloud.state.brokers.values()].find(({ record }) => record.url.endsWith(`/${id}`));
    logins.set(`${ids.cloud} ${id}`, { username: '', password: '', ...entry?.credentials });
  }
  return logins;
}

/** The status of a catalog request to the service manager. */
async function catalogStatus(world: StoryWorld, brokerId: string, { username, password }: PlatformLogin) {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { authorization, 'x-broker-api-version': '2.17' };
  const path = `/v1/osb/${brokerId}/v2/catalog`;
  return (await persistently(() => world.manager.landscape.request(path, { headers, token: null }))).status;
}

/** `fetch` throws other errors than our client. */
const persistently = <T extends NonNullable<unknown>>(work: () => Promise<T>) => eventually(work, patience);

/** The brokers take both passwords, the service manager changes over, the brokers take the new one only. */
async function rotateTowardBrokers({ manager, databases, queues }: StoryWorld, calls: SteadyCalls): Promise<void> {
  for (const broker of [databases, queues])
    broker.accept({ type: 'basic', ...oldLogin }, { type: 'basic', ...newLogin });
  const body = { credentials: { basic: newLogin } };
  for (const id of [ids.databases, ids.queues])
    await manager.call(`/v1/service_brokers/${id}`, { method: 'PATCH', body });
  // Calls that began before have to end.
  await calls.anotherRound();
  for (const broker of [databases, queues]) broker.accept({ type: 'basic', ...newLogin });
}

/** The proxies give their platforms new credentials for every broker. */
async function rotateOnPlatforms(world: StoryWorld): Promise<void> {
  const former = await platformLoginsNow(world);
  for (const proxy of Object.values(world.proxies)) proxy.signal('SIGHUP');
  await eventually(
    async () => {
      const logins = await platformLogins(world);
      return [...logins].every(([key, { username }]) => username !== former.get(key)?.username);
    },
    { ...patience, what: 'new credentials on both platforms' },
  );
  for (const [key, login] of former) {
    const brokerId = key.split(' ')[1] ?? '';
    await eventually(async () => (await catalogStatus(world, brokerId, login)) === 401, {
      ...patience,
      what: `the former credentials of ${key} to end`,
    });
  }
}

const platformLoginsNow = (world: StoryWorld) => persist(() => platformLogins(world));

export const rotateCredentials: StoryStep = {
  name: 'credentials toward both brokers and of both platforms rotate while calls go on, and none is refused',
  act: async world => {
    const { queue } = world.ordered;
    assert.ok(queue !== undefined);
    const calls = new SteadyCalls(world, queue);
    try {
      await calls.anotherRound();
      await rotateTowardBrokers(world, calls);
      await rotateOnPlatforms(world);
      await calls.anotherRound();
      await calls.stop();
    } finally {
      calls.leave();
    }
    if (!world.hadOutage) assert.equal(calls.outages, 0);
  },
  check: async world => {
    const { cloud, databases, ordered } = world;
    const { reference } = ordered;
    assert.ok(reference !== undefined);
    const binding = await persist(() => cloud.consumer.createBinding(place, reference));
    await persist(() => cloud.consumer.deleteBinding(binding));
    await eventually(() => databases.bindings.size === 2, { ...patience, what: 'no binding but the two' });
    for (const [key, login] of await platformLoginsNow(world))
      assert.equal(await catalogStatus(world, key.split(' ')[1] ?? '', login), 200, key);
  },
};
