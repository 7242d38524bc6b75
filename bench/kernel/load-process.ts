// Makes the load, in a process of its own so that it does not take the server's turn; jobs come by message.
import { Pool } from 'undici';
import type { LoadJob, LoadTarget, RequestsJob, RequestsResult } from './load-job.ts';
import { ownCpuSeconds } from './process-usage.ts';
import { median, quantile } from './statistics.ts';
import { WatcherCrowd } from './watcher-crowd.ts';
import {
  clusterBody,
  clustersPath,
  groupOf,
  insideCluster,
  itemBody,
  itemName,
  itemsPath,
  namespaceBody,
  namespacePath,
} from './workload.ts';

interface Ask {
  readonly path: string;
  readonly body?: string;
}

const target = JSON.parse(process.argv[2] ?? '{}') as LoadTarget;
const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' };
const crowd = new WatcherCrowd(target);

const makePool = (connections: number): Pool => new Pool(target.url, { connections, connect: { ca: target.ca } });

/** Returns the length of the body; anything but success ends the run. */
async function send(pool: Pool, { path, body }: Ask): Promise<number> {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
  if (answer.statusCode >= 300) {
    throw new Error(`${method} ${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
  }
  let length = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) length += chunk.length;
  return length;
}

function askOf({ what, objects, matching }: RequestsJob, index: number): Ask {
  const any = Math.floor(Math.random() * objects);
  switch (what) {
    case 'create': {
      const name = itemName(objects + index);
      return { path: itemsPath, body: itemBody(name, groupOf(objects + index, matching)) };
    }
    case 'get':
      return { path: `${itemsPath}/${itemName(any)}` };
    case 'list':
      return { path: `${itemsPath}?labelSelector=group%3D${groupOf(any, matching)}` };
    case 'createCluster':
      return { path: clustersPath, body: clusterBody(objects + index) };
    case 'getFromCluster':
      return { path: insideCluster(index % objects) };
  }
}

async function runRequests(job: RequestsJob): Promise<RequestsResult> {
  const pool = makePool(job.connections);
  const latencies: number[] = [];
  const cpuBefore = ownCpuSeconds();
  const startedAt = performance.now();
  const { count = Number.POSITIVE_INFINITY, durationMs = Number.POSITIVE_INFINITY } = job;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && performance.now() - startedAt < durationMs) {
      const ask = askOf(job, next++);
      const askedAt = performance.now();
      const length = await send(pool, ask);
      latencies.push(performance.now() - askedAt);
      if (job.what === 'list' && length < job.matching * 1024) throw new Error(`${ask.path} answered too little`);
    }
  };
  await Promise.all(Array.from({ length: job.connections }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return {
    count: latencies.length,
    seconds,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
    cpuSeconds: ownCpuSeconds() - cpuBefore,
  };
}

async function run(job: LoadJob): Promise<unknown> {
  switch (job.type) {
    case 'requests':
      return runRequests(job);
    case 'openWatchers':
      return crowd.open(job.count);
    case 'fanOut': {
      const pool = makePool(job.connections);
      const result = await crowd.measure(job.changes, job.connections, (path, body) => send(pool, { path, body }));
      await pool.close();
      return result;
    }
  }
}

const setUp = makePool(1);
for (const name of ['items', 'watched']) await send(setUp, { path: namespacePath, body: namespaceBody(name) });
await setUp.close();
process.on('message', (job: LoadJob) => {
  run(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
