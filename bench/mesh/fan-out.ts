import { type Aim, atLeast, atMost, type Row, type Section } from '../brokers/report.ts';
import { clusterOf } from './bench-mesh.ts';
import { type BenchContext, layoutText, shown, streamsOf } from './context.ts';
import type { Change, SubjectKind } from './jobs.ts';
import type { Layout, Sizes } from './options.ts';
import { type PushedChange, type Rig, startTwo, startWith } from './rig.ts';
import { repeat, typicalChange } from './typical-change.ts';

const wantedMs = 100;
const wantedGain = 5;
/** The numbers of streams that the aims refer to. */
const aimStreams = { latency: 1000, gain: 5000 };

/** The results of both servers for one size of clusters and number of streams. */
interface Measured {
  readonly layout: Layout;
  readonly endpoints: number;
  readonly ours: PushedChange;
  readonly naive: PushedChange;
  readonly floor: PushedChange;
}

/** One endpoint changes, and the change is pushed to all streams. */
export async function measureFanOut({ sizes, say }: BenchContext): Promise<Section> {
  const measured: Measured[] = [];
  for (const layout of sizes.layouts) {
    say(layoutText(layout));
    measured.push(...(await measureLayout(layout, sizes)));
  }
  return {
    title: 'One endpoint changed, told to all streams',
    columns: [
      { key: 'ms', heading: 'to last ACK', unit: 'ms' },
      { key: 'naiveMs', heading: 'naive', unit: 'ms' },
      { key: 'cpu', heading: 'CPU/stream', unit: 'µs' },
      { key: 'naiveCpu', heading: 'naive', unit: 'µs' },
      { key: 'gain', heading: 'CPU gain', unit: '×' },
      { key: 'floorCpu', heading: 'transport', unit: 'µs' },
      { key: 'clientCpu', heading: 'client CPU', unit: 'µs' },
      { key: 'bytes', heading: 'told', unit: 'KB/stream' },
    ],
    rows: measured.map(rowOf),
    aims: measured.flatMap(aimsOf),
    remarks: [
      `median of ${sizes.changes} changes, state of the world, all defaults; an endpoint is exchanged for another, which`,
      'is told at once, where a mere addition waits for the debounce window',
      'naive: protobufjs encodes anew for each stream; fewer changes where they take long',
      'transport: grpc-js sends the same bytes to all streams and nothing else is done; the naive server uses it too',
    ],
  };
}

async function measureLayout(layout: Layout, sizes: Sizes): Promise<Measured[]> {
  const services = Object.fromEntries(sizes.endpoints.map(count => [serviceWith(count), count]));
  const crowd = {
    ...layout,
    mode: 'sotw',
    type: 'endpoints',
    nameSets: [Object.keys(services).map(clusterOf)],
  } as const;
  await using stack = new AsyncDisposableStack();
  const start = (kind: SubjectKind): Promise<Rig> => startWith(kind, { services }, [crowd]);
  const [ours, naive] = await startTwo(start('chandlery'), start('naive'), stack);
  const floor = stack.use(await start('shouting'));
  for (const rig of [ours, naive, floor]) await warmUp(rig, layout, sizes);
  const measured: Measured[] = [];
  for (const endpoints of sizes.endpoints) {
    const change: Change = { what: 'endpoint', service: serviceWith(endpoints) };
    const streams = streamsOf(layout);
    const naiveChanges = Math.max(1, Math.min(sizes.changes, Math.floor(sizes.naiveEndpoints / streams / endpoints)));
    measured.push({
      layout,
      endpoints,
      ours: await timeChanges(ours, { change, streams, changes: sizes.changes }),
      floor: await timeChanges(floor, { change, streams, changes: sizes.changes }),
      naive: await timeChanges(naive, { change, streams, changes: naiveChanges }),
    });
  }
  return measured;
}

/** Warms up the JIT compiler before anything is timed. */
async function warmUp(rig: Rig, layout: Layout, { endpoints: [fewest = 0], warmUpResponses }: Sizes): Promise<void> {
  const streams = streamsOf(layout);
  const change: Change = { what: 'endpoint', service: serviceWith(fewest) };
  await repeat(Math.ceil(warmUpResponses / streams), () => rig.change(change, streams));
}

const serviceWith = (endpoints: number): string => `service-of-${endpoints}`;

interface Changes {
  readonly change: Change;
  readonly streams: number;
  readonly changes: number;
}

/** The first one does not count. */
async function timeChanges(rig: Rig, { change, streams, changes }: Changes): Promise<PushedChange> {
  const pushed = await repeat(changes + 1, () => rig.change(change, streams));
  return typicalChange(pushed.slice(1));
}

function rowOf({ layout, endpoints, ours, naive, floor }: Measured): Row {
  const streams = streamsOf(layout);
  const micros = (ms: number): number => (ms * 1000) / streams;
  return {
    what: `${layoutText(layout)}, ${shown(endpoints)} endpoints`,
    values: {
      ms: ours.ms,
      naiveMs: naive.ms,
      cpu: micros(ours.cpuMs),
      naiveCpu: micros(naive.cpuMs),
      gain: naive.cpuMs / ours.cpuMs,
      floorCpu: micros(floor.cpuMs),
      clientCpu: micros(ours.clientCpuMs),
      bytes: ours.bytes / streams / 1000,
    },
  };
}

function aimsOf({ layout, endpoints, ours, naive }: Measured): Aim[] {
  const streams = streamsOf(layout);
  const what = `${shown(streams)} streams, ${shown(endpoints)} endpoints`;
  if (streams === aimStreams.latency) return [atMost(`${what}, to the last ACK`, ours.ms, [wantedMs, 'ms'])];
  if (streams !== aimStreams.gain) return [];
  return [atLeast(`${what}, less CPU than naive`, naive.cpuMs / ours.cpuMs, [wantedGain, '×'])];
}
