import type { ManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { median } from '../kernel/statistics.ts';
import type { Row, Section } from '../runtime/report.ts';
import { baselineOf, type TwoWorlds } from './two-worlds.ts';

const repeats = 9;

type Query = (world: ManyInstances) => Readonly<Record<string, string>>;

const queries: Readonly<Record<string, Query>> = {
  'the number of all': () => ({ max_items: '0' }),
  'first page of all': () => ({}),
  'a name': () => ({ fieldQuery: "name eq 'database-77'" }),
  'first page of a platform': ({ platforms }) => ({ fieldQuery: `platform_id eq '${platforms[1]?.id}'` }),
  'a label of a quarter': () => ({ labelQuery: "tier eq 'gold'" }),
  'two labels': () => ({ labelQuery: "tier in ('gold','lead') and owner eq 'team-7'" }),
  'part of a name (looks at all)': () => ({ fieldQuery: "name contains '77'" }),
  'a negated label (looks at all)': () => ({ labelQuery: "tier ne 'gold'" }),
};

async function timeOf({ landscape }: ManyInstances, query: Readonly<Record<string, string>>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < repeats; turn++) {
    const started = performance.now();
    const { status, text } = await landscape.request(`/v1/service_instances?${new URLSearchParams(query)}`);
    if (status !== 200) throw new Error(text);
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Milliseconds of lists, by what they ask for. */
export async function measureQueries({ few, many, options }: TwoWorlds): Promise<Section> {
  const rows: Row[] = [];
  for (const [what, query] of Object.entries(queries)) {
    const baseline = await timeOf(few, query(few));
    rows.push({ what, unit: 'ms', ours: await timeOf(many, query(many)), baseline });
  }
  return {
    title: `Lists of ${options.many.toLocaleString('en-US')} instances, p50`,
    baseline: baselineOf(options),
    rows,
  };
}
