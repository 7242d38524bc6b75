import { median } from '../kernel/statistics.ts';
import type { PushedChange } from './rig.ts';

/** The median of each number. */
export function typicalChange(changes: readonly PushedChange[]): PushedChange {
  const middle = (of: (change: PushedChange) => number): number => median(changes.map(of));
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
export async function alternate(
  rounds: number,
  first: () => Promise<PushedChange>,
  second: () => Promise<PushedChange>,
): Promise<readonly [PushedChange, PushedChange]> {
  const taken = await repeat(rounds + 1, async () => [await first(), await second()] as const);
  const counted = taken.slice(1);
  return [typicalChange(counted.map(([one]) => one)), typicalChange(counted.map(([, other]) => other))];
}
