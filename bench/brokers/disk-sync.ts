import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../kernel/statistics.ts';

const samples = 30;
const bytes = Buffer.alloc(4096, 1);

/** Milliseconds that a small write and its sync take on the disk of this folder, p50. Nothing durable can be quicker. */
export async function measureSyncMs(folder: string): Promise<number> {
  await using file = await open(join(folder, 'sync-probe'), 'w');
  const times: number[] = [];
  while (times.length < samples) {
    const startedAt = performance.now();
    await file.write(bytes);
    await file.datasync();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
