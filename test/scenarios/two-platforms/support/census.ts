import type { KubeObject } from '@chandlery/api';
import type { ScriptedBroker } from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import type { Manager, Row } from './manager.ts';
import { collections, listObjects, readyOf } from './objects-of-cluster.ts';
import { place, type StoryWorld } from './story-world.ts';

/** Everything there is at the service manager, the brokers and the platforms, in words that no id or time is part of. */
export type StoryCensus = Readonly<Record<string, readonly string[]>>;

export async function takeStoryCensus(world: StoryWorld): Promise<StoryCensus> {
  const all = {
    ...(await rowsOf(world.manager)),
    ...(await resourcesOf(world.manager)),
    ...recordsOf('databases', world.databases),
    ...recordsOf('queues', world.queues),
    ...(await clusterObjectsOf(world)),
    ...cloudObjectsOf(world),
  };
  return Object.fromEntries(Object.entries(all).map(([what, lines]) => [what, [...lines].sort()]));
}

type Lines = Record<string, readonly string[]>;

async function rowsOf(manager: Manager): Promise<Lines> {
  const offerings = await manager.list('/v1/service_offerings');
  const plans = await manager.list('/v1/service_plans');
  const instances = await manager.list('/v1/service_instances');
  const nameIn = (rows: readonly Row[], id: unknown): unknown => rows.find(row => row['id'] === id)?.['name'];
  const planName = (id: unknown): string => {
    const plan = plans.find(row => row['id'] === id);
    return `${String(nameIn(offerings, plan?.['service_offering_id']))}/${String(plan?.['name'])}`;
  };
  const visibilities = await manager.list('/v1/visibilities');
  const bindings = await manager.list('/v1/service_bindings');
  return {
    'manager platforms': (await manager.list('/v1/platforms')).map(row => pick(row, 'name', 'type', 'ready')),
    'manager brokers': (await manager.list('/v1/service_brokers')).map(row => pick(row, 'name', 'ready')),
    'manager plans': plans.map(({ id }) => planName(id)),
    'manager visibilities': visibilities.map(
      row => `${planName(row['service_plan_id'])} ${pick(row, 'id', 'platform_id', 'labels', 'ready')}`,
    ),
    'manager instances': instances.map(
      row =>
        `${planName(row['service_plan_id'])} ${pick(row, 'name', 'platform_id', 'ready', 'usable', 'shared')} of ${String(
          nameIn(instances, row['referenced_instance_id']),
        )}`,
    ),
    'manager bindings': bindings.map(
      row => `${String(nameIn(instances, row['service_instance_id']))} ${pick(row, 'ready')}`,
    ),
    'manager operations under way': (await manager.list('/v1/operations'))
      .filter(({ state }) => state !== 'succeeded' && state !== 'failed')
      .map(row => pick(row, 'type', 'state', 'resource_type')),
  };
}

const pick = (row: Row, ...fields: readonly string[]): string =>
  fields.map(field => `${field}=${JSON.stringify(row[field] ?? null)}`).join(' ');

/** What only the store shows. */
async function resourcesOf(manager: Manager): Promise<Lines> {
  const base = '/clusters/onboarding';
  const namespace = 'namespaces/service-manager';
  const credentials = await manager.list(
    `${base}/apis/brokers.chandlery.io/v1alpha1/${namespace}/brokerplatformcredentials`,
  );
  const secrets = await manager.list(`${base}/api/v1/${namespace}/secrets`);
  return {
    'manager credentials': credentials.map(({ spec }) => {
      const { platformId, brokerId, isActive, old } = spec as Row;
      return `${String(platformId)} ${String(brokerId)} active=${String(isActive)} old=${String(old !== undefined)}`;
    }),
    'manager secrets': secrets.map(({ type }) => String(type)),
  };
}

const recordsOf = (name: string, { instances, bindings }: ScriptedBroker): Lines => ({
  [`broker ${name} instances`]: [...instances.values()].map(
    ({ planId, parameters, operation }) => `${planId} ${JSON.stringify(parameters)} ${operation?.state ?? ''}`,
  ),
  [`broker ${name} bindings`]: [...bindings.values()].map(
    ({ planId, instanceId }) => `${planId} of ${instances.has(instanceId) ? 'an instance' : 'nothing'}`,
  ),
});

async function clusterObjectsOf(world: StoryWorld): Promise<Lines> {
  const lines: Lines = {};
  for (const [name, ref] of Object.entries(collections)) {
    const objects = await listObjects(world, ref);
    lines[`cluster ${name}`] = objects.map(object => `${describe(object)} ${readyOf(object)?.reason ?? ''}`);
  }
  return lines;
}

const describe = ({ metadata, spec, status }: KubeObject & { spec?: Row; status?: { planNames?: string } }): string =>
  [metadata.name, spec?.['plan'], status?.planNames, metadata.deletionTimestamp && 'being deleted'].join(' ');

function cloudObjectsOf({ cloud }: StoryWorld): Lines {
  return {
    'cloud brokers': [...cloud.state.brokers.values()].map(({ record }) => record.name),
    'cloud plans': [...cloud.state.plans.values()].map(({ broker, record, organizations }) =>
      [broker.record.name, record.name, record.visibility_type, ...organizations].join(' '),
    ),
    'cloud marketplace': cloud.consumer.marketplace(place.organization),
  };
}
