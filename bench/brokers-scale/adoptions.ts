import { cpuUsage } from 'node:process';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { startBrokerActions } from '../../domains/brokers/src/actions/test-broker-actions.ts';
import { MemoryInternalBroker } from '../../domains/brokers/src/adapters/internal-broker/test-internal-broker.ts';
import { startLandscape } from '../../domains/brokers/src/controllers/landscape/start-landscape.ts';
import type {
  InternalBroker,
  InternalObject,
  InternalObjectListener,
  InternalObjects,
  InternalProgress,
} from '../../domains/brokers/src/kinds/index.ts';
import type { Section } from '../runtime/report.ts';
import type { TwoWorlds } from './two-worlds.ts';

/** A domain whose objects clients make through an API of its own. */
class ManyObjects extends MemoryInternalBroker implements InternalBroker {
  readonly #objects = new Map<string, InternalObject>();
  #listener: InternalObjectListener | undefined;

  readonly objects: InternalObjects = {
    listen: listener => {
      this.#listener = listener;
      return () => undefined;
    },
    isComplete: () => true,
    get: async id => this.#objects.get(id),
  };

  put(id: string, state: InternalProgress['state']): void {
    const createdAt = new Date().toISOString();
    const fixed = { serviceId: 'memory', planId: 'memory-sync', tenant: 'service-manager', createdAt };
    const listens = { endpoints: [{ address: '10.0.0.1', port: 5432, name: 'postgres' }] };
    const progress = { state };
    const more = state === 'succeeded' ? { listens } : {};
    this.#objects.set(id, { ...fixed, id, name: id, progress, isProvisioned: false, isDeleting: false, ...more });
    this.#listener?.changed(id);
  }
}

interface Adoption {
  readonly commits: number;
  readonly cpuMs: number;
}

/** What an object costs until its instance is ready: made at once, or reported once before it is. */
async function adopt(count: number, states: readonly InternalProgress['state'][]): Promise<Adoption> {
  const source = new ManyObjects();
  const internalBrokers = new Map<string, InternalBroker>([['memory', source]]);
  await using world = await startBrokerActions({ internalBrokers });
  const { registry } = world;
  await using _running = startLandscape({ ...world, internalBrokers, logger: silentLogger });
  const until = (isDone: () => boolean): Promise<unknown> =>
    eventually(() => isDone() || undefined, { timeoutMs: 600_000, pauseMs: 2, what: 'the instances' });
  await until(() => registry.plans.size > 0);
  let commits = 0;
  const stop = registry.instances.listen(({ type }) => {
    if (type !== 'removed') commits++;
  });
  const before = cpuUsage();
  for (const state of states) {
    for (let index = 0; index < count; index++) source.put(`object-${index}`, state);
    const isReady = state === 'succeeded';
    await until(() => [...registry.instances.all()].filter(({ status }) => status.ready === isReady).length === count);
  }
  const { user, system } = cpuUsage(before);
  stop();
  return { commits: commits / count, cpuMs: (user + system) / 1000 / count };
}

/** The instances of objects that were made through the API of a domain. */
export async function measureAdoptions({ options }: Pick<TwoWorlds, 'options'>): Promise<Section> {
  const count = options.provisions;
  const late = await adopt(count, ['in progress', 'succeeded']);
  const atOnce = await adopt(count, ['succeeded']);
  return {
    title: `Adoption of ${count.toLocaleString('en-US')} objects that were made through the API of their domain`,
    baseline: 'ready at once',
    rows: [
      {
        what: 'commits per object',
        unit: '',
        ours: late.commits,
        baseline: atOnce.commits,
        aim: {
          text: 'at most 2: the row, and readiness with addresses',
          isMet: late.commits <= 2 && atOnce.commits <= 1,
        },
      },
      { what: 'CPU per object', unit: 'ms', ours: late.cpuMs, baseline: atOnce.cpuMs },
    ],
    remarks: ['The service manager and its store alone, in this process; the domain writes its own objects besides.'],
  };
}
