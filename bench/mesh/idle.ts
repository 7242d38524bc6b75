import { atMost, type Section } from '../brokers/report.ts';
import { clusterOf } from './bench-mesh.ts';
import { type BenchContext, layoutText, streamsOf } from './context.ts';
import type { Cost, Memory, SubjectKind } from './jobs.ts';
import type { Layout } from './options.ts';
import { Rig } from './rig.ts';

const service = 'quiet';
const maxKilobytes = 40;

interface Idle extends Memory, Cost {}

/** The cost of idle streams, and of connecting them. */
export async function measureIdle({ sizes, say }: BenchContext): Promise<Section> {
  const sections = [];
  for (const layout of sizes.layouts) {
    say(layoutText(layout));
    sections.push(await measureLayout(layout));
  }
  return {
    title: 'Idle streams, of the control plane and of grpc-js alone',
    columns: [
      { key: 'resident', heading: 'resident', unit: 'KB/stream' },
      { key: 'heap', heading: 'heap', unit: 'KB/stream' },
      { key: 'connectMs', heading: 'all connected', unit: 'ms' },
      { key: 'connectCpu', heading: 'connect CPU', unit: 'µs/stream' },
    ],
    rows: sections.flatMap(({ rows }) => rows),
    aims: sections.flatMap(({ aims }) => aims),
    remarks: [
      'growth of the server after garbage collection, each in a process of its own; every connection is mutual TLS;',
      'each stream asked for the endpoints of one service and has accepted them',
    ],
  };
}

async function measureLayout(layout: Layout): Promise<Pick<Section, 'rows' | 'aims'>> {
  const bare = await measureOne('bare', layout);
  const ours = await measureOne('chandlery', layout);
  const streams = streamsOf(layout);
  const above = (ours.residentBytes - bare.residentBytes) / streams / 1000;
  const row = (name: string, { residentBytes, heapBytes, ms, cpuMs }: Idle) => ({
    what: `${layoutText(layout)}: ${name}`,
    values: {
      resident: residentBytes / streams / 1000,
      heap: heapBytes / streams / 1000,
      connectMs: ms,
      connectCpu: (cpuMs * 1000) / streams,
    },
  });
  return {
    rows: [row('grpc-js alone', bare), row('Chandlery', ours)],
    aims: [atMost(`${layoutText(layout)}, above grpc-js alone`, above, [maxKilobytes, 'KB/stream'])],
  };
}

async function measureOne(kind: SubjectKind, layout: Layout): Promise<Idle> {
  await using rig = await Rig.start(kind, { services: { [service]: 10 } });
  const crowd = { ...layout, mode: 'sotw', type: 'endpoints', nameSets: [[clusterOf(service)]] } as const;
  const certificates = await rig.issue(crowd);
  const before = await rig.memory();
  const cost = await rig.connect(crowd, certificates);
  const after = await rig.memory();
  return {
    ...cost,
    residentBytes: after.residentBytes - before.residentBytes,
    heapBytes: after.heapBytes - before.heapBytes,
  };
}
