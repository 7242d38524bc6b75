import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import { Pool } from 'undici';
import { type BenchServer, startServer } from '../kernel/server.ts';
import type { ConsoleBenchOptions } from './options.ts';
import { cluster, definitionOf, kinds, nameOf, namespaceOf, namespaces, refOf, seed, statusOf } from './seed.ts';

/** A landscape with the objects of the bench, and a client of its administrator. */
export interface ConsoleWorld extends AsyncDisposable {
  readonly server: BenchServer;
  /** Sends a request; rejects unless it succeeds. */
  request(path: string, options?: { readonly method?: 'POST' | 'PATCH'; readonly body?: object }): Promise<unknown>;
  /** Changes objects of the large kind at a steady rate until disposed of. */
  change(perMinute: number): AsyncDisposable & { readonly done: () => number };
}

/** Requests of one change at a time are few; changes of a busy landscape come over several connections. */
const connections = 4;

/** Starts a landscape, fills it, and starts it again. */
export async function startConsoleWorld(dataDir: string, options: ConsoleBenchOptions): Promise<ConsoleWorld> {
  await prepare(dataDir);
  const { many, few, nodes, fewNodes } = options;
  await seed(dataDir, { objects: { [kinds.many]: many, [kinds.few]: few }, trees: { large: nodes, small: fewNodes } });
  const server = await startServer(dataDir);
  const client = clientOf(server);
  return {
    server,
    request: client.request,
    change: perMinute => startChanges(client, { perMinute, many }),
    [Symbol.asyncDispose]: async () => {
      await client.pool.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Makes the kinds and the namespaces, which only a server does. */
async function prepare(dataDir: string): Promise<void> {
  await using server = await startServer(dataDir);
  const { request, pool } = clientOf(server);
  const root = `/clusters/${cluster}`;
  for (const kind of Object.values(kinds))
    await request(`${root}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, {
      method: 'POST',
      body: definitionOf(kind),
    });
  for (const name of namespaces) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await request(`${root}/api/v1/namespaces`, { method: 'POST', body });
  }
  await pool.close();
}

interface WorldClient extends Pick<ConsoleWorld, 'request'> {
  readonly pool: Pool;
}

function clientOf({ url, ca, token }: BenchServer): WorldClient {
  const pool = new Pool(url, { connect: { ca }, connections });
  const request: ConsoleWorld['request'] = async (path, { method, body } = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await pool.request({
      path,
      method: method ?? 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new ChandleryError('RequestFailed', `${path}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  return { pool, request };
}

/** So many changes are begun together. */
const beatMs = 100;

function startChanges(
  { request }: WorldClient,
  { perMinute, many }: { readonly perMinute: number; readonly many: number },
) {
  let isStopped = false;
  let done = 0;
  const changeOne = async (at: number): Promise<void> => {
    const number = (at * 7919) % many;
    const { plural, namespace = '' } = refOf(kinds.many, namespaceOf(number));
    const path = `/clusters/${cluster}/apis/bench.chandlery.io/v1/namespaces/${namespace}/${plural}/${nameOf(number)}/status`;
    await request(path, { method: 'PATCH', body: { status: statusOf(number, at) } });
    done += 1;
  };
  const run = async (): Promise<void> => {
    const start = performance.now();
    for (let begun = 0; !isStopped; await sleep(beatMs)) {
      const due = Math.floor(((performance.now() - start) * perMinute) / 60_000);
      await Promise.all(Array.from({ length: due - begun }, (_, at) => changeOne(begun + at)));
      begun = due;
    }
  };
  const running = run();
  return {
    done: () => done,
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await running;
    },
  };
}
