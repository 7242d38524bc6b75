import type { Child } from './child.ts';
import { type Measured, measureWays } from './measure-requests.ts';
import type { Sizes } from './options.ts';
import { type Aim, atLeast, atMost, type Column, type Section } from './report.ts';
import { bareName } from './subject.ts';
import type { Subjects } from './subjects.ts';
import type { OperationName } from './workload.ts';

const titles: Readonly<Record<OperationName, string>> = {
  catalog: 'Catalog',
  'last-operation': 'Last operation (passed through)',
  provision: 'Provision (durable)',
  bind: 'Bind (durable)',
};

/** How much of the bare proxy's throughput is aimed at. Binds cost what provisions cost, and have no aim of their own. */
const wantedRatios: Readonly<Partial<Record<OperationName, number>>> = {
  catalog: 2,
  'last-operation': 0.8,
  provision: 0.4,
};
const addedMs = 1;

const columns: readonly Column[] = [
  { key: 'perSecond', heading: 'requests/s' },
  { key: 'ratio', heading: '/ bare', unit: '×' },
  { key: 'cpuMicros', heading: 'CPU each', unit: 'µs' },
  { key: 'p50Ms', heading: 'p50', unit: 'ms' },
  { key: 'p90Ms', heading: 'p90', unit: 'ms' },
  { key: 'p99Ms', heading: 'p99', unit: 'ms' },
  { key: 'halfLoadP50Ms', heading: 'half load p50', unit: 'ms' },
  { key: 'addedP50Ms', heading: 'added', unit: 'ms' },
];

/** One operation over all ways to the broker. */
export async function measureRequests(
  operation: OperationName,
  subjects: Subjects,
  { load, sizes }: { readonly load: Child; readonly sizes: Sizes },
): Promise<Section> {
  const measured = await measureWays({ load, operation, sizes }, subjects.all);
  const bare = measured.find(({ subject }) => subject.name === bareName)?.perSecond ?? Number.NaN;
  return {
    title: `${titles[operation]}, ${sizes.connections} at a time`,
    columns,
    rows: measured.map(({ subject, ...values }) => ({
      what: subject.name,
      values: { ...values, ratio: values.perSecond / bare },
    })),
    aims: measured.filter(({ subject }) => subject.isOurs).flatMap(each => aimsOf(operation, each, bare)),
    remarks: [...subjects.remarks, ...durableRemarks(operation, subjects)],
  };
}

const durableRemarks = (operation: OperationName, { syncMs }: Subjects): string[] =>
  operation === 'provision' || operation === 'bind'
    ? [`Chandlery answers when it is on disk: a small write and its sync take ${syncMs.toFixed(2)} ms here, p50`]
    : [];

function aimsOf(operation: OperationName, { subject, perSecond, addedP50Ms }: Measured, bare: number): Aim[] {
  const wanted = wantedRatios[operation];
  const throughput = `${subject.name}, throughput of the bare proxy`;
  const latency = `${subject.name}, added at half load, p50`;
  return [
    ...(wanted === undefined ? [] : [atLeast(throughput, perSecond / bare, [wanted, '×'])]),
    atMost(latency, addedP50Ms, [addedMs, 'ms']),
  ];
}
