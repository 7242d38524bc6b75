import type { RunningProcess } from '@chandlery/testing';

/**
 * The environment of a server that can be asked for its memory. It has little, so that one that takes a lot for a moment
 * only, before it gives it back, does not outlive that moment.
 */
export const measuredEnvironment = {
  NODE_OPTIONS: `--expose-gc --max-old-space-size=256 --import=${new URL('./report-memory.ts', import.meta.url).href}`,
} as const;

/**
 * The bytes that a server started with {@link measuredEnvironment} has in use. Not those that it has from the system:
 * they show mostly when its garbage was last collected, which on a busy machine may be hundreds of mebibytes ago.
 */
export async function readMemoryInUse(server: RunningProcess): Promise<number> {
  const reports = (): string[] => server.stdout().match(/(?<=^memory in use: )\d+(?=\n)/gm) ?? [];
  const before = reports().length;
  server.signal('SIGUSR2');
  await server.waitForOutput(() => reports().length > before, 60_000);
  return Number(reports().at(-1));
}
