import { ChandleryError } from '@chandlery/api';
import { freePort } from '@chandlery/testing';
import { asUsersDo, type BenchServer, startServer } from '../kernel/server.ts';
import { basicAuth } from './peers.ts';

/** The real server with its plain HTTP port. */
export interface BenchServiceManager extends BenchServer {
  readonly httpPort: number;
  /** As the operator; rejects unless the answer has this status. */
  ask<Answer>(method: string, path: string, expected: Expected): Promise<Answer>;
}

interface Expected {
  readonly status: number;
  readonly body?: object;
  /** Default: the operator's. */
  readonly authorization?: string;
}

/** Starts the server as users do. Default: on SQLite in the data folder. */
export async function startServiceManager(dataDir: string, database?: string): Promise<BenchServiceManager> {
  const httpPort = await freePort();
  const store = database === undefined ? [] : ['--database', database];
  const server = await startServer(dataDir, [...asUsersDo, '--http-port', String(httpPort), ...store]);
  const authorization = `Bearer ${server.token}`;
  const origin = `http://127.0.0.1:${httpPort}`;
  return {
    ...server,
    httpPort,
    ask: (method, path, expected) => ask(method, origin + path, { authorization, ...expected }),
  };
}

async function ask<Answer>(
  method: string,
  url: string,
  { status, body, authorization = '' }: Expected,
): Promise<Answer> {
  const headers = { authorization, 'content-type': 'application/json', 'x-broker-api-version': '2.17' };
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.status !== status) {
    throw new ChandleryError('UnexpectedAnswer', `${method} ${url} was answered by ${response.status}: ${text}`);
  }
  return JSON.parse(text) as Answer;
}

/** What a platform calls with. */
export interface PlatformLogin {
  readonly id: string;
  readonly authorization: string;
}

/** Registers a platform. */
export async function registerPlatform(server: BenchServiceManager, name: string): Promise<PlatformLogin> {
  const { id, credentials } = await server.ask<{
    readonly id: string;
    readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
  }>('POST', '/v1/platforms', { status: 201, body: { name, type: 'kubernetes' } });
  return { id, authorization: basicAuth(credentials.basic) };
}

/** The plan that the broker calls so. */
export async function findPlan(server: BenchServiceManager, catalogId: string): Promise<string> {
  const query = encodeURIComponent(`catalog_id eq '${catalogId}'`);
  const path = `/v1/service_plans?fieldQuery=${query}`;
  const { items } = await server.ask<{ readonly items: readonly { readonly id: string }[] }>('GET', path, {
    status: 200,
  });
  const [plan] = items;
  if (plan === undefined) throw new ChandleryError('NotFound', `there is no plan "${catalogId}"`);
  return plan.id;
}
