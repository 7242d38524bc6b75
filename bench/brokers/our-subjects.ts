import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, startPostgres } from '@chandlery/testing';
import { Client } from 'pg';
import type { BenchContext } from './context.ts';
import { type BenchServiceManager, findPlan, registerPlatform, startServiceManager } from './service-manager.ts';
import type { Subject } from './subject.ts';
import { type Ask, boundInstance, brokerLogin, plans, polledInstance, provisionAsk } from './workload.ts';

/** One server on SQLite. */
export async function startOnSqlite(
  stack: AsyncDisposableStack,
  brokerUrl: string,
  { folder, options }: BenchContext,
): Promise<Subject> {
  const server = stack.use(await startServiceManager(join(folder, 'sqlite')));
  return furnish('Chandlery, SQLite', [server], { brokerUrl, instances: options.sizes.instances });
}

/** One server on PostgreSQL, and two replicas on another database of it. */
export async function startOnPostgres(
  stack: AsyncDisposableStack,
  brokerUrl: string,
  { folder, options }: BenchContext,
): Promise<Subject[]> {
  const { instances } = options.sizes;
  const postgres = stack.use(await startPostgres());
  const alone = await createDatabase(postgres.url, 'alone');
  const single = stack.use(await startServiceManager(join(folder, 'postgres'), alone));
  const first = stack.use(await startServiceManager(join(folder, 'replica-0'), postgres.url));
  await cp(join(folder, 'replica-0', 'keys'), join(folder, 'replica-1', 'keys'), { recursive: true });
  const second = stack.use(await startServiceManager(join(folder, 'replica-1'), postgres.url));
  return [
    await furnish('Chandlery, PostgreSQL', [single], { brokerUrl, instances }),
    await furnish('Chandlery, PostgreSQL, two replicas', [first, second], { brokerUrl, instances }),
  ];
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

interface Furniture {
  readonly brokerUrl: string;
  readonly instances: number;
}

/** Registers the broker and a platform that may use it, and makes the instances that are polled and bound. */
async function furnish(
  name: string,
  servers: readonly BenchServiceManager[],
  { brokerUrl, instances }: Furniture,
): Promise<Subject> {
  const [server] = servers as readonly [BenchServiceManager];
  const brokerId = await registerBroker(server, brokerUrl);
  const { authorization } = await registerPlatform(server, 'bench');
  const prefix = `/v1/osb/${brokerId}`;
  const make = ({ method, path, status, body = '{}' }: Ask): Promise<unknown> =>
    server.ask(method, prefix + path, { status, authorization, body: JSON.parse(body) as object });
  for (let index = 0; index < instances; index++) {
    await make(provisionAsk(polledInstance(index), 'slow'));
    await make(provisionAsk(boundInstance(index)));
  }
  for (const each of servers) await waitForInstance(each, boundInstance(instances - 1));
  const targets = servers.map(({ httpPort }) => ({ port: httpPort, prefix, authorization }));
  const cpuSeconds = async (): Promise<number> => {
    const used = await Promise.all(servers.map(each => each.cpuSeconds()));
    return used.reduce((sum, seconds) => sum + seconds, 0);
  };
  return { name, targets, cpuSeconds, isOurs: true };
}

/** Registers the broker and makes the plans in use public. */
export async function registerBroker(server: BenchServiceManager, brokerUrl: string): Promise<string> {
  const body = { name: 'bench', broker_url: brokerUrl, credentials: { basic: brokerLogin } };
  const { id } = await server.ask<{ readonly id: string }>('POST', '/v1/service_brokers', { status: 201, body });
  for (const catalogId of Object.values(plans)) {
    const service_plan_id = await findPlan(server, catalogId);
    await server.ask('POST', '/v1/visibilities', { status: 201, body: { service_plan_id } });
  }
  return id;
}

/** Replicas see what another one wrote a moment later. */
async function waitForInstance(server: BenchServiceManager, id: string): Promise<void> {
  const isThere = (): Promise<boolean> =>
    server.ask('GET', `/v1/service_instances/${id}`, { status: 200 }).then(
      () => true,
      () => false,
    );
  await eventually(isThere, { what: `instance "${id}" on every replica` });
}
