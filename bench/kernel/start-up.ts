import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './context.ts';
import { residentBytes } from './process-usage.ts';
import { atMost, type Section } from './report.ts';
import { asUsersDo, startServer } from './server.ts';
import { median } from './statistics.ts';

const aims = { readySeconds: 1.5, idleMB: 150 };

/** From the command to the banner, and what the process holds while nothing happens. */
export async function measureStartUp({ options, folder }: BenchContext): Promise<Section> {
  const { starts, settleMs } = options.sizes;
  const dataDir = join(folder, 'start');
  const fresh = await startOnce(dataDir, 0);
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let count = 0; count < starts; count++) {
    const start = await startOnce(dataDir, count === starts - 1 ? settleMs : 0);
    seconds.push(start.seconds);
    megabytes.push(start.megabytes);
  }
  const again = median(seconds);
  const idle = megabytes.at(-1) ?? Number.NaN;
  return {
    title: 'Ours: start and rest',
    rows: [
      {
        what: 'from start to ready, existing data',
        unit: 's',
        ours: again,
        aim: atMost(again, aims.readySeconds, 's'),
        note: `median of ${starts}`,
      },
      {
        what: 'from start to ready, empty folder',
        unit: 's',
        ours: fresh.seconds,
        aim: atMost(fresh.seconds, aims.readySeconds, 's'),
        note: 'makes keys and tables',
      },
      {
        what: 'idle memory',
        unit: 'MB',
        ours: idle,
        aim: atMost(idle, aims.idleMB, 'MB'),
        note: 'resident, all of it',
      },
    ],
  };
}

async function startOnce(dataDir: string, settleMs: number): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now();
  await using server = await startServer(dataDir, asUsersDo);
  const seconds = (performance.now() - startedAt) / 1000;
  await sleep(settleMs);
  return { seconds, megabytes: (await residentBytes(server.pid)) / 1e6 };
}
