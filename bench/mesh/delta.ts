import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';
import type { Row, Section } from '../brokers/report.ts';
import { clusterOf, otherService } from './bench-mesh.ts';
import { type BenchContext, shown, streamsOf } from './context.ts';
import type { Change } from './jobs.ts';
import type { Sizes } from './options.ts';
import { type PushedChange, type Rig, startTwo, startWith } from './rig.ts';
import { alternate } from './typical-change.ts';

/** The subscriptions of the streams, and the measured change. */
interface Case {
  readonly what: string;
  readonly change: Change;
}

const service = otherService(0);
const cases: readonly Case[] = [
  { what: 'one endpoint of', change: { what: 'endpoint', service } },
  { what: 'one of all clusters of', change: { what: 'port', service } },
];

/**
 * The incremental protocol compared with the state of the world, on streams with many resources of which one changes.
 */
export async function measureDelta({ sizes, say }: BenchContext): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const [whole, delta] = await startTwo(start('sotw', sizes), start('delta', sizes), stack);
  const rows: Row[] = [];
  const streams = streamsOf(sizes.layout);
  for (const { what, change } of cases) {
    say(what);
    const push = (rig: Rig) => () => rig.change(change, streams);
    const [wholePushed, deltaPushed] = await alternate(sizes.changes, push(whole), push(delta));
    const row = (mode: string, pushed: PushedChange): Row => ({
      what: `${what} ${sizes.namesPerStream} services: ${mode}`,
      values: { ...valuesOf(pushed, streams), gain: wholePushed.cpuMs / pushed.cpuMs },
    });
    rows.push(row('state of the world', wholePushed), row('delta', deltaPushed));
  }
  return {
    title: `Delta against state of the world, ${shown(streams)} streams that know ${sizes.namesPerStream} services each`,
    columns: [
      { key: 'ms', heading: 'to last ACK', unit: 'ms' },
      { key: 'cpu', heading: 'CPU/stream', unit: 'µs' },
      { key: 'clientCpu', heading: 'client CPU', unit: 'µs' },
      { key: 'bytes', heading: 'told', unit: 'KB/stream' },
      { key: 'gain', heading: 'CPU gain', unit: '×' },
    ],
    rows,
    aims: [],
    remarks: ['ten endpoints each; clusters are asked for by wildcard: the state of the world is then told in full'],
  };
}

/** Half of the streams subscribe to endpoints by name, the others to all clusters. */
function start(mode: StreamMode, { namesPerStream, layout }: Sizes): Promise<Rig> {
  const mesh = { services: {}, others: { services: namesPerStream, endpointsEach: 10 } };
  const names = Array.from({ length: namesPerStream }, (_, index) => clusterOf(otherService(index)));
  return startWith('chandlery', mesh, [
    { ...layout, mode, type: 'endpoints', nameSets: [names] },
    { ...layout, mode, type: 'cluster', nameSets: [] },
  ]);
}

const valuesOf = (pushed: PushedChange, streams: number): Row['values'] => ({
  ms: pushed.ms,
  cpu: (pushed.cpuMs * 1000) / streams,
  clientCpu: (pushed.clientCpuMs * 1000) / streams,
  bytes: pushed.bytes / streams / 1000,
});
