import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { runProcess } from '@chandlery/testing';
import { createBoats, prepare } from './boats.ts';
import type { BenchContext } from './context.ts';
import type { MemoryResult } from './memory-process.ts';
import { openServer } from './places.ts';
import type { Section } from './report.ts';

const child = join(import.meta.dirname, 'memory-process.ts');

/** What a watched object costs, in a process that does nothing else. */
export async function measureMemory({ options, folder, say }: BenchContext): Promise<Section> {
  const { objects } = options.sizes;
  await using server = await openServer(join(folder, 'memory'));
  say(`creating ${objects} objects`);
  await prepare(server.client, ['memory']);
  await createBoats(server.client, 'memory', objects);
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', child, server.kubeconfig], {
    timeoutMs: 120_000,
  });
  if (code !== 0) throw new ChandleryError('ProcessFailed', `the process that measures memory failed: ${stderr}`);
  const { plain, watched, lean, controlled } = JSON.parse(stdout) as MemoryResult;
  const limit = 2;
  return {
    title: `Memory of each of ${objects.toLocaleString('en-US')} watched objects`,
    baseline: 'array of parsed objects',
    rows: [
      {
        what: 'informer',
        unit: 'KiB',
        ours: watched,
        baseline: plain,
        aim: { text: `≤ ${limit} × the array`, isMet: watched <= plain * limit },
      },
      { what: 'informer and idle controller', unit: 'KiB', ours: controlled, baseline: plain },
      { what: 'informer without managed fields', unit: 'KiB', ours: lean, baseline: plain },
    ],
    remarks: ['Heap in use after garbage collection, in a process of its own, over HTTPS.'],
  };
}
