import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { apply, controllerKeys, createInformer, type StepResult, setController } from '@chandlery/runtime';
import { median, quantile } from '../kernel/statistics.ts';
import { type Boat, boatName, boats, createBoats, prepare } from './boats.ts';
import type { BenchContext } from './context.ts';
import { startFleet } from './fleet.ts';
import { atEachPlace } from './places.ts';
import type { Row, Section } from './report.ts';

const namespace = 'drift';
const logs: ResourceRef = { group: '', version: 'v1', plural: 'configmaps', namespace };
const entry = 'all well';
/** What polls each minute finds drift after half of it on average, and after all of it at worst. */
const pollMs = { mean: 30_000, worst: 60_000 };

type Damage = (client: Client, at: ObjectRef) => Promise<unknown>;

const damages: Readonly<Record<string, Damage>> = {
  changed: (client, at) => client.patch(at, { type: 'merge', body: { data: { entry: 'mutiny' } } }),
  deleted: (client, at) => client.delete(at),
};

/** From the call that damages an owned object until it is stored as it should be. */
export async function measureDrift({ options, folder }: BenchContext): Promise<Section> {
  const samples = Math.ceil(options.sizes.samples / 4);
  const rows = await atEachPlace(folder, async ({ name, client }) => {
    await prepare(client, [namespace]);
    await createBoats(client, namespace, 1);
    const found: Row[] = [];
    for (const [what, damage] of Object.entries(damages))
      found.push(...rowsOf(`${what}, ${name}`, await sampleRepairs(client, damage, samples)));
    return found;
  });
  return {
    title: 'From drift to repair of an owned object',
    baseline: 'a poll of 60 s',
    rows: rows.flat(),
    remarks: [`${samples} times each. The baseline is reckoned: half a poll on average, a whole one at worst.`],
  };
}

async function sampleRepairs(client: Client, damage: Damage, samples: number): Promise<number[]> {
  await using informer = createInformer({ client, ref: logs });
  const mapToKeys = (log: KubeObject): string[] => controllerKeys(log, { group: boats.group, kind: 'Boat' });
  const steps = [(boat: Boat) => ensureLog(client, boat)];
  await using _fleet = startFleet(client, { steps, owns: [{ informer, mapToKeys }] });
  const at = { ...logs, name: boatName(0) };
  const isWell = (): boolean => (informer.get(namespace, at.name)?.['data'] as LogData | undefined)?.entry === entry;
  await until(informer, isWell);
  const latencies: number[] = [];
  for (let index = 0; index < samples; index++) {
    const before = informer.get(namespace, at.name)?.metadata.resourceVersion;
    const startedAt = performance.now();
    const damaged = damage(client, at);
    await until(informer, () => isWell() && informer.get(namespace, at.name)?.metadata.resourceVersion !== before);
    latencies.push(performance.now() - startedAt);
    await damaged;
  }
  return latencies;
}

interface LogData {
  readonly entry?: string;
}

async function ensureLog(client: Client, boat: Boat): Promise<StepResult> {
  const { name = '' } = boat.metadata;
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { entry } };
  setController(object, boat);
  await apply(client, 'fleet', [{ plural: 'configmaps', object }]);
  return 'continue';
}

/** Resolves as soon as the informer's copy is as wanted. */
function until(informer: ReturnType<typeof createInformer>, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (isSo()) resolve();
  };
  const unlisten = informer.listen({ added: look, updated: look, deleted: look });
  return promise.finally(unlisten);
}

function rowsOf(what: string, latencies: readonly number[]): Row[] {
  const p99 = quantile(latencies, 0.99);
  return [
    { what: `${what}, p50`, unit: 'ms', ours: median(latencies), baseline: pollMs.mean },
    {
      what: `${what}, p99`,
      unit: 'ms',
      ours: p99,
      baseline: pollMs.worst,
      aim: { text: 'a hundredth of a poll', isMet: p99 <= pollMs.worst / 100 },
    },
  ];
}
