import { join } from 'node:path';
import { median, quantile } from '../kernel/statistics.ts';
import { Child } from './child.ts';
import type { BenchContext } from './context.ts';
import { registerBroker } from './our-subjects.ts';
import { startBroker } from './peers.ts';
import { atMost, type Section } from './report.ts';
import { type BenchServiceManager, findPlan, registerPlatform, startServiceManager } from './service-manager.ts';

/** What the process of all proxies is asked to do. */
export type CrowdJob =
  | { readonly type: 'open'; readonly url: string; readonly logins: readonly string[] }
  | {
      readonly type: 'change';
      readonly url: string;
      readonly method: string;
      readonly authorization: string;
      readonly body?: object;
      readonly proxies: number;
    };

interface VisibilitySnapshot {
  readonly ms: number;
  readonly text: string;
}

/** A plan without visibilities until the bench opens it. */
const plan = 'queue-sync';
const wantedMs = 250;
const registeredAtOnce = 16;
/** Changes until the code of both sides is compiled. */
const uncounted = 2;

/** One change that many proxies receive, each of its own platform. */
export async function measureNotifications({ options, folder, say }: BenchContext): Promise<Section> {
  const { proxies, changes } = options.sizes;
  await using stack = new AsyncDisposableStack();
  const { url } = await startBroker(stack);
  const server = stack.use(await startServiceManager(join(folder, 'notifications')));
  const crowd = stack.use(new Child('crowd-process.ts'));
  await registerBroker(server, url);
  say(`registering ${proxies} platforms`);
  const logins = await registerPlatforms(server, proxies);
  await crowd.run({ type: 'open', url: `ws://127.0.0.1:${server.httpPort}/v1/notifications`, logins });
  const times = await timeChanges(server, crowd, { proxies, changes });
  const worst = Math.max(...times);
  return {
    title: `One change, told to ${proxies.toLocaleString('en-US')} connected proxies`,
    columns: [
      { key: 'p50Ms', heading: 'p50', unit: 'ms' },
      { key: 'p90Ms', heading: 'p90', unit: 'ms' },
      { key: 'worstMs', heading: 'worst', unit: 'ms' },
    ],
    rows: [
      {
        what: 'Chandlery, SQLite: from the request to the last proxy',
        values: { p50Ms: median(times), p90Ms: quantile(times, 0.9), worstMs: worst },
      },
    ],
    aims: [atMost('worst of all changes', worst, [wantedMs, 'ms'])],
    remarks: [
      `${changes} changes of visibilities, durable; one process is all the proxies and reads every message`,
      'Two changes before them are not counted: until then no code has been compiled on either side',
    ],
  };
}

async function registerPlatforms(server: BenchServiceManager, count: number): Promise<string[]> {
  const logins: string[] = [];
  let next = 0;
  const register = async (): Promise<void> => {
    while (next < count) logins.push((await registerPlatform(server, `platform-${next++}`)).authorization);
  };
  await Promise.all(Array.from({ length: registeredAtOnce }, register));
  return logins;
}

/** Alternately opens a plan to all platforms and closes it. */
async function timeChanges(
  server: BenchServiceManager,
  crowd: Child,
  { proxies, changes }: { readonly proxies: number; readonly changes: number },
): Promise<number[]> {
  const service_plan_id = await findPlan(server, plan);
  const visibilities = `http://127.0.0.1:${server.httpPort}/v1/visibilities`;
  const common = { type: 'change', authorization: `Bearer ${server.token}`, proxies } as const;
  const times: number[] = [];
  while (times.length < changes + uncounted) {
    const opened = await crowd.run<VisibilitySnapshot>({
      ...common,
      method: 'POST',
      url: visibilities,
      body: { service_plan_id },
    });
    const { id } = JSON.parse(opened.text) as { readonly id: string };
    const closed = await crowd.run<VisibilitySnapshot>({ ...common, method: 'DELETE', url: `${visibilities}/${id}` });
    times.push(opened.ms, closed.ms);
  }
  return times.slice(uncounted);
}
