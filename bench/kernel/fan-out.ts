import { join } from 'node:path';
import type { BenchContext } from './context.ts';
import { LoadClient } from './load-client.ts';
import type { Section } from './report.ts';
import { startServer } from './server.ts';
import { median, quantile } from './statistics.ts';

/** One change to many watchers over HTTPS, each on a connection of its own. */
export async function measureFanOut({ options, folder }: BenchContext): Promise<Section> {
  const { watchers, fanOutChanges } = options.sizes;
  const count = watchers.at(-1) ?? 1;
  await using server = await startServer(join(folder, 'fan-out'));
  await using load = await LoadClient.start(server);
  const before = await server.memory();
  await load.openWatchers(count);
  const after = await server.memory();
  const cpuBefore = await server.cpuSeconds();
  const { lastDeliveryMs, deliveriesPerSecond } = await load.fanOut(fanOutChanges, 16);
  const deliveries = (lastDeliveryMs.length + fanOutChanges) * count;
  const cpuMicros = (((await server.cpuSeconds()) - cpuBefore) * 1e6) / deliveries;
  return {
    title: `Ours over HTTPS: watch fan-out to ${count} watchers`,
    rows: [
      {
        what: 'deliveries',
        unit: 'events/s',
        ours: deliveriesPerSecond,
        note: `server CPU ${cpuMicros.toFixed(1)} µs each; one process reads them all`,
      },
      { what: 'from the request to the last delivery, p50', unit: 'ms', ours: median(lastDeliveryMs) },
      { what: 'from the request to the last delivery, p99', unit: 'ms', ours: quantile(lastDeliveryMs, 0.99) },
      { what: 'memory of an open watch', unit: 'KiB', ours: (after.rss - before.rss) / 1024 / count },
    ],
  };
}
