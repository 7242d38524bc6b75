import type { Client } from '@chandlery/client';
import type { Step } from '@chandlery/runtime';
import { type Boat, boatAt, boatName, boatsIn, createBoats, hoist, prepare } from './boats.ts';
import { type BenchContext, timed } from './context.ts';
import { CountingClient } from './counting-client.ts';
import { startFleet } from './fleet.ts';
import { atEachPlace, type Place } from './places.ts';
import type { Row, Section } from './report.ts';

const concurrency = 64;
/** Not "fleet": the landscape that is measured makes that namespace itself. */
const namespace = 'boats';

/** Objects that need one status write each; then a restart over all of them, which are as they should be. */
export async function measureThroughput({ options, folder, say }: BenchContext): Promise<Section[]> {
  const { objects, loopObjects } = options.sizes;
  const places = await atEachPlace(folder, async place => {
    say(`${objects} objects ${place.name}`);
    await prepare(place.client, ['loop', 'single', namespace]);
    await createBoats(place.client, 'loop', loopObjects);
    const loopPerSecond = (loopObjects / (await timed(() => loopOver(place.client, loopObjects)))) * 1000;
    await createBoats(place.client, namespace, objects);
    await createBoats(place.client, 'single', loopObjects);
    const singleMs = await timed(() => reconcileAll(place.client, 'single', { count: loopObjects, concurrency: 1 }));
    const singlePerSecond = (loopObjects / singleMs) * 1000;
    const fleetMs = await timed(() => reconcileAll(place.client, namespace, { count: objects, concurrency }));
    const fleetPerSecond = (objects / fleetMs) * 1000;
    const resumed = await resume(place, objects);
    return { place: place.name, loopPerSecond, singlePerSecond, fleetPerSecond, resumed };
  });
  const many = objects.toLocaleString('en-US');
  return [
    {
      title: `Reconciling ${many} objects that need one status write each`,
      baseline: 'loop of get and update',
      rows: places.flatMap(throughputRows),
      remarks: [
        `From start to the last write. The loop and the single worker have ${loopObjects.toLocaleString('en-US')} objects.`,
      ],
    },
    {
      title: `Resuming after a restart over ${many} unchanged objects`,
      baseline: 'reading them once',
      rows: places.flatMap(({ place, resumed }) => resumeRows(place, resumed)),
      remarks: ['From a new informer and controller until each object has been looked at.'],
    },
  ];
}

interface Throughput {
  readonly place: string;
  readonly loopPerSecond: number;
  readonly singlePerSecond: number;
  readonly fleetPerSecond: number;
}

function throughputRows({ place, loopPerSecond, singlePerSecond, fleetPerSecond }: Throughput): Row[] {
  const row = (workers: string, ours: number): Row => ({
    what: `${place}, ${workers}`,
    unit: 'objects/s',
    ours,
    baseline: loopPerSecond,
  });
  const isMet = fleetPerSecond > loopPerSecond;
  return [
    { ...row(`${concurrency} workers`, fleetPerSecond), aim: { text: 'more than the loop', isMet } },
    row('1 worker', singlePerSecond),
  ];
}

async function loopOver(client: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const at = boatAt('loop', boatName(index));
    const boat = await client.get<Boat>(at);
    await client.update({ ...at, subresource: 'status' }, { ...boat, status: { sails: boat.spec?.sails ?? 0 } });
  }
}

/** A step that reports when all objects have passed it. */
function countTo(count: number): { readonly step: Step<Boat, object>; readonly all: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const step: Step<Boat, object> = (_boat, _needs, { key }) => {
    if (seen.add(key).size === count) resolve();
    return 'continue';
  };
  return { step, all: promise };
}

/** From the start of a controller until the last object is written. */
async function reconcileAll(
  client: Client,
  namespace: string,
  { count, concurrency }: { readonly count: number; readonly concurrency: number },
): Promise<void> {
  const { step, all } = countTo(count);
  const fleet = startFleet(client, { namespace, steps: [hoist, step], concurrency });
  await all;
  // Ends the reconciles in progress, with their writes.
  await fleet[Symbol.asyncDispose]();
}

interface Resumed {
  readonly tookMs: number;
  readonly readMs: number;
  readonly requests: number;
  readonly writes: number;
}

async function resume({ client }: Place, count: number): Promise<Resumed> {
  const readMs = await timed(() => Array.fromAsync(client.listAll(boatsIn(namespace))));
  const counted = new CountingClient(client);
  const { step, all } = countTo(count);
  const startedAt = performance.now();
  await using fleet = startFleet(counted.client, { namespace, steps: [hoist, step], concurrency });
  await all;
  const tookMs = performance.now() - startedAt;
  await fleet.controller.stop();
  return { tookMs, readMs, requests: counted.requests, writes: counted.writes };
}

function resumeRows(place: string, { tookMs, readMs, requests, writes }: Resumed): Row[] {
  return [
    { what: `time, ${place}`, unit: 'ms', ours: tookMs, baseline: readMs },
    { what: `requests, ${place}`, unit: 'requests', ours: requests },
    { what: `writes, ${place}`, unit: 'writes', ours: writes, aim: { text: 'none', isMet: writes === 0 } },
  ];
}
