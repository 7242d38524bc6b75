import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { ManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { cpuSeconds } from '../kernel/process-usage.ts';

/** How many requests are under way at a time. */
const concurrency = 16;

/** What one round has cost. */
export interface Round {
  /** Of the server, per provision. */
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

/** Makes instances over OSB, one platform after the other, and measures what the server needs for it. */
export async function measureProvisions(world: ManyInstances, count: number): Promise<Round> {
  const { landscape, brokerId } = world;
  const pool = new Pool(landscape.url, { connect: { ca: landscape.ca }, connections: concurrency });
  const latenciesMs: number[] = [];
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) latenciesMs.push(await provision(pool, brokerId, headersFor(world, left)));
  };
  const cpuBefore = await cpuSeconds(pidOf(world));
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = ((await cpuSeconds(pidOf(world))) - cpuBefore) * (1000 / count);
  await pool.close();
  return { cpuMs, perSecond: count / seconds, latenciesMs };
}

const headersFor = ({ platforms }: ManyInstances, number: number): Readonly<Record<string, string>> =>
  platforms[number % platforms.length]?.headers ?? {};

/** The process that serves a world. */
export const pidOf = ({ landscape }: ManyInstances): number => landscape.process.pid;

async function provision(pool: Pool, brokerId: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const id = randomUUID();
  const started = performance.now();
  const { statusCode, body } = await pool.request({
    method: 'PUT',
    path: `/v1/osb/${brokerId}/v2/service_instances/${id}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      service_id: 'database-id',
      plan_id: 'database-sync',
      organization_guid: 'o',
      space_guid: 's',
      context: { platform: 'kubernetes', clusterid: 'c', namespace: 'n', instance_name: id },
      parameters: { size: 1 },
    }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`a provision was answered with ${statusCode}: ${text}`);
  return performance.now() - started;
}
