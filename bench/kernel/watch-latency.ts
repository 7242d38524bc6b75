import type { BenchContext } from './context.ts';
import type { Row, Section } from './report.ts';
import { median, quantile } from './statistics.ts';
import { kilobyte, type StoreSubject } from './store-subject.ts';
import { withSubjects } from './with-subjects.ts';

/** From the call that writes to the moment when the last watcher has its event; the sync is part of it. */
export async function measureWatchLatency(context: BenchContext): Promise<Section> {
  const { watchers, watchSamples, rounds } = context.options.sizes;
  const rows = await withSubjects(context, 'watch', async subjects => {
    const all: Row[] = [];
    for (const count of watchers) {
      const latencies = new Map(subjects.map(({ name }) => [name, [] as number[]]));
      const samples = Math.ceil(watchSamples / rounds);
      for (let round = 0; round < rounds; round++) {
        for (const subject of subjects) {
          latencies.get(subject.name)?.push(...(await sample(subject, count, samples)));
        }
      }
      all.push(...rowsOf(count, latencies));
    }
    return all;
  });
  return { title: 'From a change to all its watchers, store level', rows };
}

/** Times changes one after the other, after a few that are not counted. */
async function sample(subject: StoreSubject, watchers: number, samples: number): Promise<number[]> {
  let received = 0;
  let onAllDelivered: () => void = () => undefined;
  const stop = await subject.watch(watchers, () => {
    received++;
    if (received === watchers) onAllDelivered();
  });
  const latencies: number[] = [];
  for (let index = -3; index < samples; index++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    received = 0;
    onAllDelivered = resolve;
    const startedAt = performance.now();
    await subject.put('watched', kilobyte);
    await promise;
    if (index >= 0) latencies.push(performance.now() - startedAt);
  }
  await stop();
  return latencies;
}

function rowsOf(watchers: number, latencies: ReadonlyMap<StoreSubject['name'], readonly number[]>): Row[] {
  const etcd = latencies.get('etcd');
  const who = watchers === 1 ? '1 watcher' : `${watchers} watchers`;
  return (['sqlite', 'postgres'] as const).flatMap(name => {
    const ours = latencies.get(name);
    if (ours === undefined) return [];
    const row = (label: string, of: (numbers: readonly number[]) => number): Row => ({
      what: `${who}, ${label}, ${name}`,
      unit: 'ms',
      ours: of(ours),
      ...(etcd && { etcd: of(etcd) }),
    });
    return [row('p50', median), row('p99', numbers => quantile(numbers, 0.99))];
  });
}
