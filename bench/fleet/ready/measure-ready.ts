import { cpuSeconds } from '../../kernel/process-usage.ts';
import { quantile } from '../../kernel/statistics.ts';
import type { Row } from '../../runtime/report.ts';
import { defaultRegionSize } from '../fleet-document.ts';
import { configureFleet, type FleetWorld } from '../fleet-world.ts';
import { orderAtOnce, orderSteadily } from './ordered-instances.ts';
import { polledLatencies } from './polled-latencies.ts';

/** What is ordered. */
export interface ReadyLoad {
  /** Instances that become ready at the same time. */
  readonly inFlight: number;
  /** How long agents take in the steady part. */
  readonly installMs: number;
}

/** What the server may add to the time that the agent takes. */
const maxAddedMs = 1000;
const warmUpShare = 0.2;
/** Warm-up, all at once, and twice that steadily. */
const ordersPerInFlight = warmUpShare + 1 + 2;

/**
 * Measures from create to ready in two ways: so many orders at the same moment with agents that answer at once, against
 * a manager that polls; and orders at a rate that keeps so many in flight while agents take their time.
 */
export async function measureReady(world: FleetWorld, load: ReadyLoad): Promise<readonly Row[]> {
  const { inFlight, installMs } = load;
  await limitClusters(world, inFlight);
  await orderAtOnce(world, Math.ceil(inFlight * warmUpShare));
  const { pid } = world.landscape.process;
  const cpuBefore = await cpuSeconds(pid);
  const atOnce = await orderAtOnce(world, inFlight);
  const cpuMs = ((await cpuSeconds(pid)) - cpuBefore) * (1000 / inFlight);
  const polled = await polledLatencies(world, inFlight);
  const steady = (await orderSteadily(world, load)).map(latency => latency - installMs);
  return [
    ...rows('create to ready', atOnce, polled),
    { what: 'CPU per instance, create to ready', unit: 'ms', ours: cpuMs },
    ...rows(`added to ${installMs / 1000} s of the agent at ${Math.round((inFlight / installMs) * 1000)}/s`, steady),
  ];
}

/** Clusters of a usual size: an order goes to the first one with room, so one without a limit would have all of them. */
async function limitClusters({ landscape, size }: FleetWorld, inFlight: number): Promise<void> {
  const others = Math.max(defaultRegionSize(size) - 1, 1);
  const clusterLimit = size.perCluster + Math.ceil((inFlight * ordersPerInFlight) / others);
  await configureFleet(landscape, { ...size, clusterLimit });
}

function rows(what: string, ours: readonly number[], baseline?: readonly number[]): readonly Row[] {
  const row = (share: number): Row => ({
    what: `${what}, p${share * 100}`,
    unit: 'ms',
    ours: quantile(ours, share),
    ...(baseline === undefined ? {} : { baseline: quantile(baseline, share) }),
  });
  const p99 = row(0.99);
  return [row(0.5), { ...p99, aim: { text: `at most ${maxAddedMs} ms`, isMet: p99.ours <= maxAddedMs } }];
}
