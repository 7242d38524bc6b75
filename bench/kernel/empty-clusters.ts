import { join } from 'node:path';
import type { BenchContext } from './context.ts';
import { folderBytes } from './disk.ts';
import { LoadClient } from './load-client.ts';
import { atLeast, atMost, type Section } from './report.ts';
import { startServer } from './server.ts';

const aims = { memoryKiB: 100, perSecond: 500 };
const connections = 32;

/** Many empty logical clusters, made through the API like any other object. */
export async function measureEmptyClusters({ options, folder }: BenchContext): Promise<Section> {
  const { clusters } = options.sizes;
  await using server = await startServer(join(folder, 'clusters'));
  await using load = await LoadClient.start(server);
  const request = (what: 'createCluster' | 'getFromCluster', objects: number, count: number) =>
    load.requests({ what, connections, count, objects, matching: 1 });
  // A server that has just started grows whatever it does; that is not what a logical cluster costs.
  const warm = Math.ceil(clusters / 10);
  await request('createCluster', 0, warm);
  await request('getFromCluster', warm, warm);
  const before = await server.memory();
  const diskBefore = await folderBytes(server.dataDir);
  const created = await request('createCluster', warm, clusters);
  const after = await server.memory();
  const diskKiB = ((await folderBytes(server.dataDir)) - diskBefore) / 1024 / clusters;
  const used = await request('getFromCluster', warm + clusters, warm + clusters);
  const afterUse = await server.memory();
  const kiBPer = (from: number, to: number, count: number): number => (to - from) / 1024 / count;
  const memoryKiB = kiBPer(before.rss, after.rss, clusters);
  return {
    title: `Ours over HTTPS: ${clusters.toLocaleString('en-US')} empty logical clusters`,
    rows: [
      {
        what: 'created',
        unit: 'clusters/s',
        ours: created.perSecond,
        aim: atLeast(created.perSecond, aims.perSecond, 'clusters/s'),
        note: `${connections} at a time, p99 ${created.p99Ms.toFixed(0)} ms, server CPU ${created.serverCpuMs.toFixed(2)} ms each`,
      },
      {
        what: 'memory of each',
        unit: 'KiB',
        ours: memoryKiB,
        aim: atMost(memoryKiB, aims.memoryKiB, 'KiB'),
        note: `heap ${kiBPer(before.heapUsed, after.heapUsed, clusters).toFixed(1)} KiB`,
      },
      {
        what: 'memory of each after a request to each',
        unit: 'KiB',
        ours: kiBPer(before.rss, afterUse.rss, clusters),
        note: `heap ${kiBPer(before.heapUsed, afterUse.heapUsed, clusters).toFixed(1)} KiB`,
      },
      { what: 'disk for each', unit: 'KiB', ours: diskKiB },
      {
        what: 'first request to each of them',
        unit: 'req/s',
        ours: used.perSecond,
        note: `all answered, p99 ${used.p99Ms.toFixed(1)} ms`,
      },
    ],
  };
}
