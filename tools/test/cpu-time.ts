import { readFileSync } from 'node:fs';

/** Linux counts in these units on all its platforms. */
const ticksPerSecond = 100;

/**
 * The CPU time in ms that a running process has used, with that of its children that have ended; undefined where the
 * system does not report it. Node knows it only of itself.
 */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain anything; utime, stime, cutime and cstime are 12 fields behind.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return (ticks / ticksPerSecond) * 1000;
  } catch {
    return undefined;
  }
}
