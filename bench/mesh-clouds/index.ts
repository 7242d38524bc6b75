// `npm run bench -- mesh-clouds [--quick]`: 10,000 machines in 50 accounts of a cloud. How many requests the cloud gets,
// what a poll costs when nothing has changed, and how long a change takes until the last proxy has received it. Each
// number has a peer that is measured in the same run. Writes the numbers to .cache/bench/mesh-clouds.json.

import { parseArgs } from 'node:util';
import { benchProgram, runBench } from '../bench-program.ts';
import * as report from '../brokers/report.ts';
import { atMost, type Section } from '../brokers/report.ts';
import { type ChangeTimes, measureChanges, pollSeconds } from './changes.ts';
import { type Size, startBenchCloud } from './test-cloud.ts';
import { measureUnchangedPolls, type PollCost } from './unchanged-polls.ts';

const full: Size = { accounts: 50, machines: 200, services: 10, proxies: 100, samples: 20, rounds: 3 };
const small: Size = { accounts: 3, machines: 20, services: 2, proxies: 5, samples: 2, rounds: 1 };
const defaultPollSeconds = 30;

function pollSection(size: Size, { ours, bare, firstReadMs }: Awaited<ReturnType<typeof measureUnchangedPolls>>) {
  const row = (what: string, cost: PollCost) => ({
    what,
    values: {
      ...{ cpu: cost.cpuMs, allocated: cost.allocatedKb, received: cost.receivedKb },
      ...{ cpuRatio: cost.cpuMs / bare.cpuMs, allocatedRatio: cost.allocatedKb / bare.allocatedKb },
    },
  });
  const section: Section = {
    title: `An unchanged poll of an account with ${size.machines} machines`,
    columns: [
      { key: 'cpu', heading: 'CPU', unit: 'ms' },
      { key: 'cpuRatio', heading: 'ratio', unit: '×' },
      { key: 'allocated', heading: 'allocated', unit: 'kB' },
      { key: 'allocatedRatio', heading: 'ratio', unit: '×' },
      { key: 'received', heading: 'received', unit: 'kB' },
    ],
    rows: [row('request, parse, forget', bare), row('ours', ours)],
    aims: [atMost('CPU beside a bare poll', ours.cpuMs / bare.cpuMs, [5, '×'])],
    remarks: [`All accounts were read for the first time in ${(firstReadMs / 1000).toFixed(1)} s.`],
  };
  return section;
}

function requestSection(size: Size, ours: PollCost, eventRequestsPerMinute: number): Section {
  const perMinute = (count: number): number => (count * 60) / defaultPollSeconds;
  const perPoll = ours.requests / size.rounds / size.accounts;
  const byService = perMinute(size.accounts * size.services);
  const rows = [
    ['one poll for each service', byService],
    [`ours, each account every ${defaultPollSeconds} s`, perMinute(perPoll * size.accounts)],
    ['ours, queues of events', eventRequestsPerMinute],
  ] as const;
  return {
    title: 'Requests to the cloud per minute',
    columns: [
      { key: 'requests', heading: 'requests' },
      { key: 'ratio', heading: 'ratio', unit: '×' },
    ],
    rows: rows.map(([what, requests]) => ({ what, values: { requests, ratio: requests / byService } })),
    aims: [atMost('requests per poll of an account', perPoll, [1.2, ''])],
  };
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

function changeSection(size: Size, times: ChangeTimes): Section {
  const base = median(times.written);
  const row = (what: string, sorted: readonly number[]) => ({
    what,
    values: { median: median(sorted), most: sorted.at(-1) ?? 0, ratio: median(sorted) / base },
  });
  return {
    title: `A change of a machine until the last of ${size.proxies} proxies has it`,
    columns: [
      { key: 'median', heading: 'median', unit: 'ms' },
      { key: 'most', heading: 'most', unit: 'ms' },
      { key: 'ratio', heading: 'ratio', unit: '×' },
    ],
    rows: [
      row('an EndpointSet that a client writes: the mesh alone', times.written),
      row('by event', times.notified),
      row(`by polls every ${pollSeconds} s`, times.polled),
      row('the same, from the response of the cloud', times.afterPoll),
    ],
    aims: [atMost('by event beside a written EndpointSet', median(times.notified) / base, [5, '×'])],
  };
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const size = values.quick ? small : full;
  const count = (size.accounts * size.machines).toLocaleString('en-US');
  console.log(`${count} machines in ${size.accounts} accounts, ${size.services} services each\n`);
  await runBench({ name: 'mesh-clouds', isQuick: values.quick, report }, async ({ add }) => {
    const cloud = await startBenchCloud(size);
    try {
      const polls = await measureUnchangedPolls(size, cloud);
      add(pollSection(size, polls));
      const times = await measureChanges(size, cloud);
      add(requestSection(size, polls.ours, times.eventRequestsPerMinute), changeSection(size, times));
    } finally {
      cloud.stop();
    }
  });
}

await benchProgram(run);
