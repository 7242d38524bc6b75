import { brokerKinds, brokersCluster, globalTenant } from '@chandlery/brokers/kinds';
import type { AtomicWrite } from '@chandlery/client';
import { systemClock } from '@chandlery/platform';
import { createRow } from '../../../../domains/brokers/src/model/rows.ts';
import { brokerFormat } from '../../../../domains/brokers/src/registry/create-registry.ts';
import { atomicWriteOf } from '../../../../packages/registry/src/object-of-row.ts';
import { createRisingTime } from '../../../../packages/registry/src/rising-time.ts';
import { openDataFolder } from './open-data-folder.ts';

/** What is put into the data folder of a landscape that does not run. */
export interface SeedOptions {
  /** Ids of platforms; each gets the same number of instances. */
  readonly platformIds: readonly string[];
  /** Ids of plans, by turns. */
  readonly planIds: readonly string[];
  readonly instances: number;
  /** Every so many-th instance has a binding. Default: none has. */
  readonly bindingEvery?: number;
}

const batchSize = 500;
const tiers = ['gold', 'silver', 'bronze', 'lead'];

/** The id of the instance of a number. */
export const instanceId = (number: number): string => `instance-${String(number).padStart(6, '0')}`;
export const tierOf = (number: number): string => tiers[number % tiers.length] as string;
export const platformOf = (number: number, ids: readonly string[]): string => ids[number % ids.length] as string;

/**
 * Writes instances, each with the operation that made it, straight into the store: as many as there are would take an
 * hour through a broker.
 */
export async function seedLandscape(dataDir: string, options: SeedOptions): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(brokerKinds).map(({ declaration }) => declaration);
  const client = await openDataFolder(dataDir, { cluster: brokersCluster, kinds }, stack);
  const now = createRisingTime(systemClock);
  for (let start = 0; start < options.instances; start += batchSize) {
    const count = Math.min(batchSize, options.instances - start);
    const numbers = Array.from({ length: count }, (_, index) => start + index);
    await client.commit(numbers.flatMap(number => writesOf(number, options, now)));
  }
}

function writesOf(number: number, options: SeedOptions, now: () => string): AtomicWrite[] {
  const { bindingEvery } = options;
  const hasBinding = bindingEvery !== undefined && number % bindingEvery === 0;
  const writes = [
    instanceOf(number, options),
    ...(isMadeAtOnce(number) ? [] : [operationOf(number, options)]),
    ...(hasBinding ? [bindingOf(number)] : []),
  ];
  return writes.map(write => atomicWriteOf(brokerFormat, write, now));
}

/** Half of all brokers answer at once: then the operation is part of the instance. */
const isMadeAtOnce = (number: number): boolean => number % 2 === 0;

const creationOf = (number: number, { platformIds }: SeedOptions) => ({
  id: `operation-${number}`,
  platformId: platformOf(number, platformIds),
  correlationId: `seed-${number}`,
});

const instanceOf = (number: number, options: SeedOptions) =>
  createRow<'instances'>({
    table: 'instances',
    id: instanceId(number),
    tenant: globalTenant,
    spec: {
      name: `database-${number}`,
      planId: options.planIds[number % options.planIds.length] ?? '',
      platformId: platformOf(number, options.platformIds),
      labels: { tier: [tierOf(number)], owner: [`team-${number % 1000}`] },
    },
    status: {
      ready: true,
      usable: true,
      ...(isMadeAtOnce(number) && { creation: creationOf(number, options) }),
      context: {
        platform: 'kubernetes',
        clusterid: 'c',
        namespace: `n-${number % 100}`,
        instance_name: `database-${number}`,
      },
    },
  });

function operationOf(number: number, options: SeedOptions) {
  const { id, ...by } = creationOf(number, options);
  return createRow<'operations'>({
    table: 'operations',
    id,
    tenant: globalTenant,
    spec: { type: 'create', resourceType: '/v1/service_instances', resourceId: instanceId(number), ...by },
    status: { ready: true, state: 'succeeded' },
  });
}

const bindingOf = (number: number) =>
  createRow<'bindings'>({
    table: 'bindings',
    id: `binding-${number}`,
    tenant: globalTenant,
    spec: { name: `binding-${number}`, instanceId: instanceId(number) },
    status: { ready: true, isTracked: true },
  });
