import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What some work cost this process. */
export interface Cost {
  /** Milliseconds of CPU, of all threads. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The longest time for which the main thread did nothing else, in milliseconds. */
  readonly maxDelayMs: number;
}

/** Measures what some work costs. */
export async function measureCpu(work: () => Promise<unknown>): Promise<Cost> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const [before, startedAt] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt, maxDelayMs: delay.max / 1e6 };
}

/** Bytes that stay after a collection, on the heap and beside it. */
export function keptBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
