import { cpuSeconds } from '../kernel/process-usage.ts';
import { median, quantile } from '../kernel/statistics.ts';
import type { Row } from '../runtime/report.ts';
import { concurrency, type FleetWorld } from './fleet-world.ts';
import type { FleetBenchOptions } from './options.ts';

/** One request, and the status that it must have. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly status: number;
}

/** Makes the requests of one kind for a world; `number` differs for each. */
export type RequestMaker = (world: FleetWorld) => Promise<(number: number) => BenchRequest>;

/** What one round has cost. */
interface Round {
  /** Of the server, per request. */
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

/** What the same requests cost with few instances and with many. */
export interface Comparison {
  readonly few: readonly Round[];
  readonly many: readonly Round[];
}

/** The same run differs by so much from itself. */
const maxGrowth = 1.2;

async function measureRound(world: FleetWorld, make: (number: number) => BenchRequest, start: number, count: number) {
  const { pid } = world.landscape.process;
  const latenciesMs: number[] = [];
  let next = start;
  const work = async (): Promise<void> => {
    while (next < start + count) latenciesMs.push(await send(world, make(next++)));
  };
  const cpuBefore = await cpuSeconds(pid);
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = ((await cpuSeconds(pid)) - cpuBefore) * (1000 / count);
  return { cpuMs, perSecond: count / seconds, latenciesMs };
}

async function send({ pool }: FleetWorld, { method, path, token, body, status }: BenchRequest): Promise<number> {
  const started = performance.now();
  const response = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  if (response.statusCode !== status) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
  return performance.now() - started;
}

/** Sends the requests to both worlds by turns, so that a busy machine affects both; the first round only warms up. */
export async function compare(
  worlds: { readonly few: FleetWorld; readonly many: FleetWorld },
  make: RequestMaker,
  { requests, rounds }: FleetBenchOptions,
  factor = 1,
): Promise<Comparison> {
  const count = requests * factor;
  const makers = { few: await make(worlds.few), many: await make(worlds.many) };
  const taken: { few: Round[]; many: Round[] } = { few: [], many: [] };
  for (let round = 0; round <= rounds; round++)
    for (const name of ['few', 'many'] as const) {
      const result = await measureRound(worlds[name], makers[name], round * count, count);
      if (round > 0) taken[name].push(result);
    }
  return taken;
}

const cpu = (rounds: readonly Round[]): number => median(rounds.map(({ cpuMs }) => cpuMs));
const latency = (rounds: readonly Round[], share: number): number =>
  quantile(
    rounds.flatMap(({ latenciesMs }) => latenciesMs),
    share,
  );

/** The row with the aim: CPU of the server for one request. */
export const cpuRow = (what: string, { few, many }: Comparison): Row => ({
  what: `CPU per ${what}`,
  unit: 'ms',
  ours: cpu(many),
  baseline: cpu(few),
  aim: { text: `at most ${maxGrowth} × of that with few`, isMet: cpu(many) <= maxGrowth * cpu(few) },
});

/** How many there are per second, and how long one takes. */
export const paceRows = (what: string, { few, many }: Comparison): readonly Row[] => {
  const rate = (rounds: readonly Round[]): number => median(rounds.map(({ perSecond }) => perSecond));
  return [
    { what: `${what}, rate`, unit: '/s', ours: rate(many), baseline: rate(few) },
    ...[0.5, 0.99].map(share => ({
      what: `${what}, p${share * 100}`,
      unit: 'ms',
      ours: latency(many, share),
      baseline: latency(few, share),
    })),
  ];
};
