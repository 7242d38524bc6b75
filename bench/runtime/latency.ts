import type { Client, ObjectRef } from '@chandlery/client';
import type { Step } from '@chandlery/runtime';
import { quantile } from '../kernel/statistics.ts';
import { type Boat, boatAt, boatName, boatsIn, createBoats, prepare, setSails } from './boats.ts';
import type { BenchContext } from './context.ts';
import { startFleet } from './fleet.ts';
import { atEachPlace } from './places.ts';
import type { Row, Section } from './report.ts';

const namespace = 'latency';
const promptMs = 100;

/** From the call that changes an object to the first step that sees the change. */
export async function measureLatency({ options, folder }: BenchContext): Promise<Section> {
  const { samples } = options.sizes;
  const rows = await atEachPlace(folder, async ({ name, client }) => {
    await prepare(client, [namespace]);
    await createBoats(client, namespace, 1);
    const at = boatAt(namespace, boatName(0));
    const watched = await sampleWatch(client, at, samples);
    return rowsOf(name, await sampleController(client, at, samples), watched);
  });
  return {
    title: 'From a change to the reconcile that sees it',
    baseline: 'a bare watch',
    rows: rows.flat(),
    remarks: [`From the call that writes, its sync to disk included; ${samples} changes each.`],
  };
}

/** Times changes one after the other; `seen` is to be called with what is seen. */
async function sample(client: Client, at: ObjectRef, samples: number, arrivals: Arrivals): Promise<number[]> {
  const first = ((await client.get<Boat>(at)).spec?.sails ?? 0) + 1;
  const latencies: number[] = [];
  for (let sails = first; sails < first + samples + 5; sails++) {
    const startedAt = performance.now();
    const seen = arrivals.of(sails);
    await Promise.all([seen, setSails(client, at, sails)]);
    // The first ones are not counted.
    if (sails >= first + 5) latencies.push((await seen) - startedAt);
  }
  return latencies;
}

/** When each number of sails was seen first. */
class Arrivals {
  #wanted = 0;
  #resolve: (atMs: number) => void = () => undefined;

  of(sails: number): Promise<number> {
    this.#wanted = sails;
    return new Promise(resolve => {
      this.#resolve = resolve;
    });
  }

  see({ spec }: Boat): void {
    if (spec?.sails === this.#wanted) this.#resolve(performance.now());
  }
}

async function sampleController(client: Client, at: ObjectRef, samples: number): Promise<number[]> {
  const arrivals = new Arrivals();
  const see: Step<Boat, object> = boat => {
    arrivals.see(boat);
    return 'continue';
  };
  await using fleet = startFleet(client, { steps: [see] });
  await fleet.informer.synced;
  return await sample(client, at, samples, arrivals);
}

async function sampleWatch(client: Client, at: ObjectRef, samples: number): Promise<number[]> {
  const arrivals = new Arrivals();
  const stop = new AbortController();
  const { metadata } = await client.list(boatsIn(namespace));
  const { resourceVersion = '' } = metadata;
  const watch = async (): Promise<void> => {
    for await (const { object } of client.watch<Boat>(boatsIn(namespace), { resourceVersion, signal: stop.signal }))
      arrivals.see(object);
  };
  const watching = watch();
  const latencies = await sample(client, at, samples, arrivals);
  stop.abort();
  await watching;
  return latencies;
}

function rowsOf(place: string, ours: readonly number[], baseline: readonly number[]): Row[] {
  const row = (label: string, share: number): Row => ({
    what: `${place}, ${label}`,
    unit: 'ms',
    ours: quantile(ours, share),
    baseline: quantile(baseline, share),
  });
  const p99 = row('p99', 0.99);
  return [row('p50', 0.5), { ...p99, aim: { text: `≤ ${promptMs} ms`, isMet: p99.ours <= promptMs } }];
}
