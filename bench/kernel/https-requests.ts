import { join } from 'node:path';
import type { BenchContext } from './context.ts';
import { LoadClient, type Requests } from './load-client.ts';
import type { Sizes } from './options.ts';
import { type Row, type Section } from './report.ts';
import { startServer } from './server.ts';

/** A cost counts as independent of the number of objects while it grows by no more than this from the first to the last. */
const tolerance = 1.5;

interface Step {
  readonly objects: number;
  readonly create: Requests;
  readonly list: Requests;
}

/** Requests to the whole server over HTTPS with keep-alive; and what they cost as the collection grows. */
export async function measureHttpsRequests({ options, folder, say }: BenchContext): Promise<Section> {
  const { sizes } = options;
  await using server = await startServer(join(folder, 'https'));
  await using load = await LoadClient.start(server);
  const collection = new GrowingCollection(load, sizes);
  const steps: Step[] = [];
  for (const objects of sizes.objects) {
    say(`filling up to ${objects} objects`);
    await collection.growTo(objects);
    const create = await collection.create(16, sizes.turnMs);
    const list = await collection.read('list', 1, sizes.turnMs);
    steps.push({ objects, create, list });
  }
  const rows: Row[] = [];
  for (const connections of sizes.connections) {
    rows.push(rowOf('creates', connections, await collection.create(connections, sizes.turnMs)));
  }
  for (const connections of sizes.connections) {
    rows.push(rowOf('gets', connections, await collection.read('get', connections, sizes.turnMs)));
  }
  const total = collection.size.toLocaleString('en-US');
  for (const connections of sizes.connections) {
    const what = `lists of ${sizes.matching} out of ${total} by label`;
    rows.push(rowOf(what, connections, await collection.read('list', connections, sizes.turnMs)));
  }
  return {
    title: 'Ours over HTTPS (ConfigMaps of 1 KB, every write durable)',
    rows: [...rows, ...independence(steps)],
    remarks: ['server and load are two processes on the same machine and share its cores'],
  };
}

/** One collection that only grows, and how far it has. */
class GrowingCollection {
  readonly #load: LoadClient;
  readonly #matching: number;
  size = 0;

  constructor(load: LoadClient, { matching }: Sizes) {
    this.#load = load;
    this.#matching = matching;
  }

  async growTo(objects: number): Promise<void> {
    const count = objects - this.size;
    if (count > 0) await this.#create({ connections: 64, count });
  }

  create(connections: number, durationMs: number): Promise<Requests> {
    return this.#create({ connections, durationMs });
  }

  /** Lists choose among groups that are whole. */
  read(what: 'get' | 'list', connections: number, durationMs: number): Promise<Requests> {
    const objects = what === 'get' ? this.size : this.size - (this.size % this.#matching);
    return this.#load.requests({ what, connections, durationMs, objects, matching: this.#matching });
  }

  async #create(how: { connections: number; count?: number; durationMs?: number }): Promise<Requests> {
    const result = await this.#load.requests({ what: 'create', ...how, objects: this.size, matching: this.#matching });
    this.size += result.count;
    return result;
  }
}

const rowOf = (what: string, connections: number, requests: Requests): Row => ({
  what: `${what}, ${connections} at a time`,
  unit: 'req/s',
  ours: requests.perSecond,
  note: `p50 ${requests.p50Ms.toFixed(2)} ms, p99 ${requests.p99Ms.toFixed(2)} ms, ${costOf(requests)}`,
});

const costOf = ({ serverCpuMs }: Requests): string => `server CPU ${serverCpuMs.toFixed(2)} ms each`;

function independence(steps: readonly Step[]): Row[] {
  const [first] = steps;
  return steps.flatMap(({ objects, create, list }): Row[] => {
    const at = `with ${objects.toLocaleString('en-US')} objects`;
    const isLast = objects === steps.at(-1)?.objects;
    const aim = (grown: number) =>
      isLast
        ? { aim: { text: `cost grows ≤ ${tolerance} ×, it did ${grown.toFixed(2)} ×`, isMet: grown <= tolerance } }
        : {};
    const creates = { what: `creates ${at}`, unit: 'req/s', ours: create.perSecond, note: costOf(create) };
    const lists = { what: `selective list ${at}, p50`, unit: 'ms', ours: list.p50Ms, note: costOf(list) };
    return [
      { ...creates, ...aim((first?.create.perSecond ?? 0) / create.perSecond) },
      { ...lists, ...aim(list.p50Ms / (first?.list.p50Ms ?? 0)) },
    ];
  });
}
