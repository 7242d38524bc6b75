import { join } from 'node:path';
import { makeDataFolder } from '../kernel/disk.ts';
import type { Row, Section } from '../runtime/report.ts';
import { concurrency, type FleetWorld, startFleetWorld } from './fleet-world.ts';
import { type Comparison, compare, cpuRow, paceRows, type RequestMaker } from './measure-requests.ts';
import type { FleetBenchOptions, SectionName } from './options.ts';
import { measureReady } from './ready/measure-ready.ts';
import { makeAdminLists, makeCreates, makeIdlePolls, makeLists, makePolls, makeReports } from './request-makers.ts';

/** The same landscape twice: with few instances and with many. */
export interface TwoFleets {
  readonly few: FleetWorld;
  readonly many: FleetWorld;
  readonly options: FleetBenchOptions;
}

type Measure = (fleets: TwoFleets) => Promise<Section>;

const text = (count: number): string => count.toLocaleString('en-US');

function sectionOf(
  title: string,
  { options }: TwoFleets,
  rows: readonly Row[],
  remarks: readonly string[] = [],
): Section {
  const { few, many, perCluster, rounds, requests } = options;
  return {
    title: `${title} among ${text(many)} instances on ${text(Math.ceil(many / perCluster))} clusters`,
    baseline: `with ${text(few)}`,
    rows,
    remarks: [
      `${rounds} rounds of at least ${requests} by turns, ${concurrency} at a time; medians of the rounds.`,
      ...remarks,
    ],
  };
}

const comparison = (fleets: TwoFleets, make: RequestMaker, factor?: number): Promise<Comparison> =>
  compare(fleets, make, fleets.options, factor);

/** What each section measures. Cheap requests come in larger numbers, since the machine counts CPU in 10 ms. */
export const measures: Readonly<Record<SectionName, Measure>> = {
  creates: async fleets => {
    const creates = await comparison(fleets, makeCreates);
    const rows = [cpuRow('create', creates), ...paceRows('create', creates)];
    return sectionOf('Orders, durable when they are accepted,', fleets, rows, ['Each region has ten clusters.']);
  },
  reports: async fleets => {
    const reports = await comparison(fleets, makeReports);
    return sectionOf('Reports of an agent', fleets, [cpuRow('report', reports), ...paceRows('report', reports)]);
  },
  lists: async fleets => {
    const own = await comparison(fleets, makeLists);
    const all = await comparison(fleets, makeAdminLists);
    const rows = [
      cpuRow('page of an organisation', own),
      ...paceRows('page of an organisation', own),
      cpuRow('page of all', all),
      ...paceRows('page of all', all),
    ];
    return sectionOf('Pages of 20', fleets, rows);
  },
  polls: async fleets => {
    const polls = await comparison(fleets, makePolls);
    const idle = await comparison(fleets, makeIdlePolls, 4);
    const rows = [
      cpuRow('poll with changes', polls),
      ...paceRows('poll with changes', polls),
      cpuRow('idle poll', idle),
      ...paceRows('idle poll', idle),
    ];
    const remarks = [
      `A poll with changes lists ${fleets.options.perCluster} instances; an idle one reads no database.`,
    ];
    return sectionOf('Polls of an agent', fleets, rows, remarks);
  },
  placement: measurePlacement,
  ready: async ({ few, options }) => ({
    title: `${text(options.inFlight)} instances in flight, from create to ready`,
    baseline: 'polling every 1 s',
    rows: await measureReady(few, options),
    remarks: [
      'First all are ordered at the same moment, with agents that answer at once; then at a steady rate, with agents that take their time.',
      `At the same moment they wait for each other: the last one for the work on all, ${concurrency} orders at a time.`,
      'The baseline is a manager of four workers that scan the same store once a second, where others wait 30 s.',
    ],
  }),
};

const smallRegion = 10;

/** Orders in regions of different size, where only the last cluster has room. */
async function measurePlacement({ options }: TwoFleets): Promise<Section> {
  await using folder = await makeDataFolder();
  const start = (clusters: number): Promise<FleetWorld> => {
    const size = { instances: clusters, perCluster: 1, clustersPerRegion: clusters, clusterLimit: 1 };
    return startFleetWorld(size, join(folder.path, String(clusters)));
  };
  await using few = await start(smallRegion);
  await using many = await start(options.regionClusters);
  const creates = await compare({ few, many }, makeCreates, options);
  return {
    title: `Orders in a region of ${text(options.regionClusters)} clusters, all but the last one full`,
    baseline: `of ${smallRegion}`,
    rows: [cpuRow('placed create', creates), ...paceRows('placed create', creates)],
  };
}
