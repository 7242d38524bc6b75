import { cpuSeconds, ownCpuSeconds } from './process-usage.ts';
import { median } from './statistics.ts';
import type { StoreSubject } from './store-subject.ts';

/** What one turn gave: operations per second, and how many cores this process and the server used for them. */
export interface Turn {
  readonly perSecond: number;
  readonly ownCores: number;
  readonly serverCores: number;
}

/** Keeps `workers` operations under way for some time. */
export async function measureTurn(
  { serverPid }: StoreSubject,
  workers: number,
  durationMs: number,
  operate: () => Promise<void>,
): Promise<Turn> {
  const serverCpu = (): Promise<number> => (serverPid === undefined ? Promise.resolve(0) : cpuSeconds(serverPid));
  const [ownBefore, serverBefore] = [ownCpuSeconds(), await serverCpu()];
  const startedAt = performance.now();
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      await operate();
      count++;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: count / seconds,
    ownCores: (ownCpuSeconds() - ownBefore) / seconds,
    serverCores: ((await serverCpu()) - serverBefore) / seconds,
  };
}

/** Lets the subjects take turns, so that a busy moment of the machine hits all of them, and takes the median of each. */
export async function takeTurns(
  subjects: readonly StoreSubject[],
  rounds: number,
  measure: (subject: StoreSubject) => Promise<Turn>,
): Promise<ReadonlyMap<StoreSubject['name'], Turn>> {
  const turns = new Map<StoreSubject['name'], Turn[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) turns.get(subject.name)?.push(await measure(subject));
  }
  return new Map([...turns].map(([name, all]) => [name, medianTurn(all)]));
}

const medianTurn = (turns: readonly Turn[]): Turn => ({
  perSecond: median(turns.map(turn => turn.perSecond)),
  ownCores: median(turns.map(turn => turn.ownCores)),
  serverCores: median(turns.map(turn => turn.serverCores)),
});

/** Which process used how many cores, for judging what was the bottleneck. */
export function describeCores(turns: ReadonlyMap<StoreSubject['name'], Turn>): string {
  const ours = turns.get('sqlite');
  const etcd = turns.get('etcd');
  const parts = [`cores: ours ${ours?.ownCores.toFixed(2)}`];
  if (etcd !== undefined) parts.push(`etcd ${etcd.serverCores.toFixed(2)} + its client ${etcd.ownCores.toFixed(2)}`);
  return parts.join(', ');
}
