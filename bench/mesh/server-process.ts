// The measured server, in a process of its own. Jobs arrive as messages.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ChandleryError, toError } from '@chandlery/api';
import { TestMeshAuthority } from '../../domains/mesh/src/server/test-mesh-authority.ts';
import { ownCpuSeconds } from '../kernel/process-usage.ts';
import { openBare } from './bare-subject.ts';
import { BenchMesh, clientAccounts, place } from './bench-mesh.ts';
import type { Change, Cost, IssuedToClient, Memory, ServerJob, Started, SubjectKind } from './jobs.ts';
import { openNaive, openShouting } from './naive-subject.ts';
import { openOurs } from './our-subject.ts';
import { RequestCounter } from './request-counter.ts';
import type { SubjectDeps } from './subject.ts';

const openers: Readonly<Record<SubjectKind, (deps: SubjectDeps) => Promise<number>>> = {
  chandlery: openOurs,
  naive: openNaive,
  shouting: openShouting,
  bare: openBare,
};

const authority = new TestMeshAuthority();
const counter = new RequestCounter();
let mesh: BenchMesh | undefined;
let issued = 0;

async function start({ kind, mesh: shape }: Extract<ServerJob, { type: 'start' }>): Promise<Started> {
  mesh = new BenchMesh(shape);
  return { port: await openers[kind]({ mesh, authority, counter }), ca: authority.trustBundle };
}

function issue({ count, withProxyIds }: Extract<ServerJob, { type: 'issue' }>): IssuedToClient[] {
  const { trustDomain, root } = authority;
  const { tenant, cluster, namespace } = place;
  return Array.from({ length: count }, () => {
    const number = issued++;
    const serviceAccount = clientAccounts[number % clientAccounts.length] ?? '';
    const id = withProxyIds ? { proxyId: `proxy-${number}` } : {};
    return { ...root.issue({ trustDomain, tenant, cluster, namespace, serviceAccount, ...id }), ...id };
  });
}

function prepare(change: Change): () => void {
  if (mesh === undefined) throw new ChandleryError('NotStarted', 'there is nothing to be changed before the start');
  return mesh.prepare(change);
}

async function watch({ requests, change }: Extract<ServerJob, { type: 'watch' }>): Promise<Cost> {
  const apply = change && prepare(change);
  const cpuBefore = ownCpuSeconds();
  const startedAt = performance.now();
  const reached = counter.next(requests);
  apply?.();
  await reached;
  const ms = performance.now() - startedAt;
  return { ms, cpuMs: (ownCpuSeconds() - cpuBefore) * 1000 };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function readMemory(): Promise<Memory> {
  for (let round = 0; round < 4; round++) {
    collectGarbage();
    await sleep(50);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { residentBytes: rss, heapBytes: heapUsed + external };
}

async function carryOut(job: ServerJob): Promise<unknown> {
  switch (job.type) {
    case 'start':
      return start(job);
    case 'issue':
      return issue(job);
    case 'watch':
      return watch(job);
    case 'memory':
      return readMemory();
  }
}

process.on('message', (job: ServerJob) => {
  carryOut(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: toError(error).message }),
  );
});
process.on('disconnect', () => process.exit());
