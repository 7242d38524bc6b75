import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Informer, parseKey, type StepResult } from '@chandlery/runtime';
import { median, quantile } from '../kernel/statistics.ts';
import { type Boat, boatAt, boatName, createBoats, hoist, prepare, setSails } from './boats.ts';
import { type BenchContext, timed } from './context.ts';
import { startFleet, untilShown } from './fleet.ts';
import { openPlane } from './places.ts';
import type { Row, Section } from './report.ts';

const workers = 8;
/** How long the noisy tenant's service takes to fail. */
const failureMs = 5;
/** So soon does each of them come back: together more than the workers can do. */
const backOff = { maxMs: 1000 };
const [noisy, quiet] = ['noisy', 'quiet'];
const promptMs = 250;

const tenantOf = (key: string): string => parseKey(key).namespace ?? '';

/** What the second tenant waits for, from its change to the status that shows it. */
export async function measureFairness({ options, say }: BenchContext): Promise<Section> {
  const { failing, samples, slowSamples } = options.sizes;
  const fair = await sampleTenants({ failing, samples, isFair: true });
  say('the same without fairness');
  const unfair = await sampleTenants({ failing, samples: slowSamples, isFair: false });
  return {
    title: `The second tenant beside ${failing.toLocaleString('en-US')} objects that fail for ever`,
    baseline: 'one queue for all',
    rows: [...rowsOf('alone', fair.alone), ...rowsOf('under the noise', fair.underNoise, unfair.underNoise)],
    remarks: [
      `From the call that changes the object until its status shows it, in process, ${workers} workers; a failure takes ${failureMs} ms and comes back within ${backOff.maxMs / 1000} s.`,
      `The baseline is the median of ${slowSamples} changes with the same controller without tenantOf: each waits behind all that fail.`,
    ],
  };
}

interface Sampling {
  readonly failing: number;
  readonly samples: number;
  readonly isFair: boolean;
}

interface Latencies {
  readonly alone: readonly number[];
  readonly underNoise: readonly number[];
}

/** Times changes of the quiet tenant before and after the other one has made its objects. */
async function sampleTenants({ failing, samples, isFair }: Sampling): Promise<Latencies> {
  await using plane = await openPlane();
  const { client } = plane;
  await prepare(client, [noisy, quiet]);
  await createBoats(client, quiet, 1);
  const noise = new Noise(failing);
  const steps = [(boat: Boat) => noise.disturb(boat), hoist];
  await using fleet = startFleet(client, { steps, concurrency: workers, backOff, ...(isFair && { tenantOf }) });
  const alone = await sampleChanges(client, fleet.informer, samples);
  await createBoats(client, noisy, failing);
  await noise.isFull;
  return { alone, underNoise: await sampleChanges(client, fleet.informer, samples) };
}

/** The noisy tenant's service: fails, and takes its time for it. */
class Noise {
  readonly #failing: number;
  readonly #full = Promise.withResolvers<void>();
  #failures = 0;

  constructor(failing: number) {
    this.#failing = failing;
  }

  /** Resolves when all have failed and most of them again: from then on the queue is never empty. */
  get isFull(): Promise<void> {
    return this.#full.promise;
  }

  async disturb({ metadata }: Boat): Promise<StepResult> {
    if (metadata.namespace !== noisy) return 'continue';
    await sleep(failureMs);
    this.#failures += 1;
    if (this.#failures >= this.#failing * 2) this.#full.resolve();
    throw new ChandleryError('ConnectionFailed', 'the service of this tenant does not answer');
  }
}

async function sampleChanges(client: Client, informer: Informer<Boat>, samples: number): Promise<number[]> {
  const at = boatAt(quiet, boatName(0));
  const { spec } = await client.get<Boat>(at);
  const latencies: number[] = [];
  for (let index = 0; index < samples + 1; index++) {
    const sails = (spec?.sails ?? 0) + index + 1;
    const latencyMs = await timed(async () => {
      const shown = untilShown(informer, { namespace: quiet, name: at.name }, sails);
      await setSails(client, at, sails);
      await shown;
    });
    // The first one is not counted.
    if (index > 0) latencies.push(latencyMs);
  }
  return latencies;
}

function rowsOf(what: string, ours: readonly number[], baseline?: readonly number[]): Row[] {
  const row = (label: string, share: number): Row => ({
    what: `${what}, ${label}`,
    unit: 'ms',
    ours: quantile(ours, share),
    ...(baseline && { baseline: median(baseline) }),
  });
  const p99 = row('p99', 0.99);
  return [row('p50', 0.5), { ...p99, aim: { text: `≤ ${promptMs} ms`, isMet: p99.ours <= promptMs } }];
}
