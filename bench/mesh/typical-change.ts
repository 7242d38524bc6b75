import { median } from '../kernel/statistics.ts';
import type { ToldChange } from './rig.ts';

/** The median of each number. */
export function typicalChange(changes: readonly ToldChange[]): ToldChange {
  const middle = (of: (change: ToldChange) => number): number => median(changes.map(of));
  return {
    ms: middle(({ ms }) => ms),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    clientCpuMs: middle(({ clientCpuMs }) => clientCpuMs),
    bytes: middle(({ bytes }) => bytes),
  };
}

/** One after the other. */
export async function repeat<Result>(times: number, call: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < times) results.push(await call());
  return results;
}

/** Alternates two ways to make a change, so that a busy machine affects both; the first round does not count. */
export async function takeTurns(
  rounds: number,
  first: () => Promise<ToldChange>,
  second: () => Promise<ToldChange>,
): Promise<readonly [ToldChange, ToldChange]> {
  const taken = await repeat(rounds + 1, async () => [await first(), await second()] as const);
  const counted = taken.slice(1);
  return [typicalChange(counted.map(([one]) => one)), typicalChange(counted.map(([, other]) => other))];
}
