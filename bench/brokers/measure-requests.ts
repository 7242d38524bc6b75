import { ChandleryError } from '@chandlery/api';
import { median } from '../kernel/statistics.ts';
import type { Child } from './child.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import type { Sizes } from './options.ts';
import { directName, type Subject } from './subject.ts';
import type { OperationName } from './workload.ts';

/** What a way to the broker gives. */
export interface Measured {
  readonly subject: Subject;
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** At half of its own throughput. */
  readonly halfLoadP50Ms: number;
  /** What it adds to the direct way at the same rate. */
  readonly addedP50Ms: number;
}

/** What measuring needs. */
export interface LoadNeeds {
  readonly load: Child;
  readonly operation: OperationName;
  readonly sizes: Sizes;
}

type Turn = LoadResult & { readonly cpuMicros: number };

/** Lets all ways take turns, so that a busy moment of the machine hits all of them; first for throughput, then at half of it. */
export async function measureWays(deps: LoadNeeds, subjects: readonly Subject[]): Promise<Measured[]> {
  const { rounds, turnMs, warmUpMs } = deps.sizes;
  const coalescers = new Map<Subject, Turn[]>(subjects.map(subject => [subject, []]));
  for (const subject of subjects) await takeTurn(deps, subject, { durationMs: warmUpMs });
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects)
      coalescers.get(subject)?.push(await takeTurn(deps, subject, { durationMs: turnMs }));
  }
  const direct = subjects.find(({ name }) => name === directName);
  if (direct === undefined) throw new ChandleryError('NoBaseline', 'nothing goes to the broker directly');
  const measured: Measured[] = [];
  for (const subject of subjects) {
    const of = (key: keyof Turn): number => median((coalescers.get(subject) ?? []).map(turn => turn[key]));
    const perSecond = of('perSecond');
    measured.push({
      subject,
      perSecond,
      cpuMicros: of('cpuMicros'),
      p50Ms: of('p50Ms'),
      p90Ms: of('p90Ms'),
      p99Ms: of('p99Ms'),
      ...(await measureHalfLoad(deps, { subject, direct, perSecond: perSecond / 2 })),
    });
  }
  return measured;
}

interface HalfLoad {
  readonly subject: Subject;
  readonly direct: Subject;
  readonly perSecond: number;
}

async function measureHalfLoad(deps: LoadNeeds, { subject, direct, perSecond }: HalfLoad) {
  const { rounds, turnMs } = deps.sizes;
  const [own, baseline]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    own.push((await takeTurn(deps, subject, { durationMs: turnMs, perSecond })).p50Ms);
    baseline.push((await takeTurn(deps, direct, { durationMs: turnMs, perSecond })).p50Ms);
  }
  return { halfLoadP50Ms: median(own), addedP50Ms: median(own) - median(baseline) };
}

async function takeTurn(
  { load, operation, sizes }: LoadNeeds,
  subject: Subject,
  how: Pick<LoadJob, 'durationMs' | 'perSecond'>,
): Promise<Turn> {
  const { connections, instances } = sizes;
  const job: LoadJob = { operation, targets: subject.targets, connections, instances, ...how };
  const before = await subject.cpuSeconds();
  const result = await load.run<LoadResult>(job);
  return { ...result, cpuMicros: (((await subject.cpuSeconds()) - before) * 1e6) / result.count };
}
