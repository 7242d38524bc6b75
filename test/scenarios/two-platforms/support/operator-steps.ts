import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import type { Manager } from './manager.ts';
import { collections, getObject, listObjects, readyOf, serviceInstance } from './objects-of-cluster.ts';
import type { PlatformLogin } from './proxies.ts';
import { patience, type StoryStep } from './story-step.ts';
import { ids, otherOrganization, place } from './story-world.ts';

/** Registers a platform. Credentials whose response was lost are regenerated. */
async function register(manager: Manager, id: string, type: string): Promise<PlatformLogin> {
  const made = await manager.post('/v1/platforms', { id, name: id, type });
  const path = `/v1/platforms/${id}?regenerateCredentials=true`;
  const { credentials } = (
    made['credentials'] === undefined ? (await manager.call(path, { method: 'PATCH', body: {} })).json() : made
  ) as { credentials: { basic: PlatformLogin } };
  return credentials.basic;
}

export const registerPlatforms: StoryStep = {
  name: 'two platforms are registered, and their proxies start',
  act: async world => {
    const { manager } = world;
    const cluster = await register(manager, ids.cluster, 'kubernetes');
    const cloud = await register(manager, ids.cloud, 'cloudfoundry');
    await world.startProxies({ cluster, cloud });
  },
  check: async ({ manager }) => {
    const isActive = async (id: string) =>
      (await manager.list(`/v1/platforms?fieldQuery=active+eq+true`)).some(row => row['id'] === id);
    for (const id of [ids.cluster, ids.cloud])
      await eventually(() => isActive(id), { ...patience, what: `the proxy of ${id} to be connected` });
  },
};

const brokerCredentials = { basic: { username: 'admin', password: 'broker-password' } };

export const registerBrokers: StoryStep = {
  name: 'two brokers are registered and appear on platform B, and nobody may use them yet',
  act: async ({ manager, databases, queues }) => {
    const registrations = [
      [ids.databases, databases.url],
      [ids.queues, queues.url],
    ] as const;
    for (const [id, broker_url] of registrations)
      await manager.post('/v1/service_brokers', { id, name: id, broker_url, credentials: brokerCredentials });
  },
  check: async world => {
    const { state, consumer } = world.cloud;
    const names = [ids.databases, ids.queues].map(nameOnPlatform);
    await eventually(
      () => {
        assert.deepEqual([...state.brokers.values()].map(({ record }) => record.name).sort(), names);
        return true;
      },
      { ...patience, what: 'both brokers on platform B' },
    );
    assert.deepEqual(consumer.marketplace(place.organization), []);
    // Kubernetes platforms are notified of a broker only when it has a plan for them.
    assert.deepEqual(await eventually(() => listObjects(world, collections.serviceBrokers), patience), []);
  },
};

const nameOnPlatform = (id: string): string => `sm-${id}-${id}`;

export const openPlan: StoryStep = {
  name: 'a visibility opens one plan to one platform only, where its broker appears',
  act: async ({ manager }) => {
    const service_plan_id = await manager.planId('database', 'async-shared');
    await manager.post('/v1/visibilities', { id: 'db-on-cluster', platform_id: ids.cluster, service_plan_id });
  },
  check: async world => {
    await eventually(
      async () => {
        const brokers = await listObjects(world, collections.serviceBrokers);
        const shown = brokers.map(broker => [broker.metadata.name, readyOf(broker)?.status]);
        assert.deepEqual(shown, [[nameOnPlatform(ids.databases), 'True']]);
        const classes = await listObjects(world, collections.serviceClasses);
        const offered = classes.map(({ spec, status }) => [spec['offering'], status?.planNames]);
        assert.deepEqual(offered, [['database', 'async-shared']]);
        return true;
      },
      { ...patience, what: 'the plan on platform A' },
    );
    assert.deepEqual(world.cloud.consumer.marketplace(place.organization), []);
    await assert.rejects(world.cloud.consumer.createInstance(place, 'async-shared'), /has no plan/);
  },
};

export const share: StoryStep = {
  name: 'the instance of platform A is shared',
  act: async world => {
    const { status } = await getObject(world, collections.serviceInstances, serviceInstance.metadata.name);
    const path = `/v1/service_instances/${status?.externalId}`;
    await world.manager.call(path, { method: 'PATCH', body: { shared: true } });
  },
  check: async ({ manager }) => {
    const [instance, ...others] = await manager.list('/v1/service_instances');
    assert.equal(others.length, 0);
    assert.equal(instance?.['shared'], true);
  },
};

export const openToCloud: StoryStep = {
  name: 'references to databases, and queues, are opened to one organization of platform B',
  act: async ({ manager }) => {
    const common = { platform_id: ids.cloud, labels: { organization_guid: [place.organization] } };
    const reference = await manager.planId('database', 'reference-instance');
    await manager.post('/v1/visibilities', { id: 'reference-on-cloud', ...common, service_plan_id: reference });
    const queue = await manager.planId('queue-2', 'async');
    await manager.post('/v1/visibilities', { id: 'queue-on-cloud', ...common, service_plan_id: queue });
  },
  check: async world => {
    const { consumer } = world.cloud;
    await eventually(
      () => {
        assert.deepEqual(consumer.marketplace(place.organization), ['database/reference-instance', 'queue-2/async']);
        return true;
      },
      { ...patience, what: 'the plans on platform B' },
    );
    assert.deepEqual(consumer.marketplace(otherOrganization), []);
    const classes = await eventually(() => listObjects(world, collections.serviceClasses), patience);
    assert.deepEqual(
      classes.map(({ status }) => status?.planNames),
      ['async-shared'],
    );
  },
};
