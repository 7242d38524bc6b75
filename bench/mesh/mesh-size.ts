import { atMost, type Row, type Section } from '../brokers/report.ts';
import { clusterOf, otherService } from './bench-mesh.ts';
import { type BenchContext, shown, streamsOf } from './context.ts';
import type { Layout } from './options.ts';
import { type Crowd, type PushedChange, type Rig, startTwo, startWith } from './rig.ts';
import { alternate } from './typical-change.ts';

const endpointsEach = 10;
/** Ratio that counts as "does not grow": the same run differs from itself by as much. */
const maxGrowth = 1.25;

/** A change of one service in a small mesh, and in a large one with many unaffected streams. */
export async function measureMeshSize({ sizes, say }: BenchContext): Promise<Section> {
  const { fewServices, manyServices, layout, bystanders } = sizes;
  await using stack = new AsyncDisposableStack();
  const asked = [subscribers('popular', layout), alone];
  const others = { ...subscribers('', bystanders), nameSets: namesOfOthers(fewServices) };
  say(`${shown(manyServices)} services, ${shown(manyServices * endpointsEach)} endpoints`);
  const starts = [startMesh(fewServices, asked), startMesh(manyServices, [...asked, others])] as const;
  const [small, large] = await startTwo(...starts, stack);
  const streams = streamsOf(layout);
  const rows = [
    await compare(small, large, { service: 'popular', streams, changes: sizes.changes }),
    await compare(small, large, { service: 'lonely', streams: 1, changes: sizes.changes * 3 }),
  ];
  const growth = rows[0]?.values.growth ?? Number.NaN;
  return {
    title: `One endpoint changed among ${shown(manyServices * endpointsEach)} endpoints of ${shown(manyServices)} services`,
    columns: [
      { key: 'cpu', heading: 'CPU/change', unit: 'ms' },
      { key: 'fewCpu', heading: `of ${shown(fewServices)} services`, unit: 'ms' },
      { key: 'growth', heading: 'ratio', unit: '×' },
      { key: 'ms', heading: 'to last ACK', unit: 'ms' },
      { key: 'fewMs', heading: `of ${shown(fewServices)} services`, unit: 'ms' },
    ],
    rows,
    aims: [atMost(`CPU of a change pushed to ${shown(streams)} streams`, growth, [maxGrowth, '×'])],
    remarks: [
      `${shown(streamsOf(bystanders))} more streams are connected to the large mesh, subscribed to other services; had one`,
      'of them been told anything, this run would have failed',
    ],
  };
}

const subscribers = (service: string, layout: Layout): Crowd => ({
  ...layout,
  mode: 'sotw',
  type: 'endpoints',
  nameSets: [[clusterOf(service)]],
});

const alone: Crowd = subscribers('lonely', { connections: 1, streamsPerConnection: 1 });

const namesOfOthers = (services: number): string[][] =>
  Array.from({ length: services }, (_, index) => [clusterOf(otherService(index))]);

function startMesh(services: number, crowds: readonly Crowd[]): Promise<Rig> {
  const asked = { popular: endpointsEach, lonely: endpointsEach };
  const others = { services: services - Object.keys(asked).length, endpointsEach };
  return startWith('chandlery', { services: asked, others }, crowds);
}

interface Compared {
  readonly service: string;
  readonly streams: number;
  readonly changes: number;
}

async function compare(small: Rig, large: Rig, { service, streams, changes }: Compared): Promise<Row> {
  const push = (rig: Rig) => () => rig.change({ what: 'endpoint', service }, streams);
  const [few, many] = await alternate(changes, push(small), push(large));
  return { what: `pushed to ${shown(streams)} ${streams === 1 ? 'stream' : 'streams'}`, values: valuesOf(few, many) };
}

const valuesOf = (few: PushedChange, many: PushedChange): Row['values'] => ({
  cpu: many.cpuMs,
  fewCpu: few.cpuMs,
  growth: many.cpuMs / few.cpuMs,
  ms: many.ms,
  fewMs: few.ms,
});
