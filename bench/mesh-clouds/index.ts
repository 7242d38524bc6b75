// `npm run bench -- mesh-clouds [--quick]`: 10,000 machines in 50 accounts of a cloud. What a poll costs when nothing has
// changed, how many requests the cloud gets, and how long a change takes until the endpoints of the mesh show it.
import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type KubeObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import { startCloudControllers } from '../../domains/mesh/src/controllers/cloud-accounts/start-cloud-controllers.ts';
import { createGoogleCloud } from '../../domains/mesh/src/endpoints/clouds/google/google-cloud.ts';
import { createEndpointSetEndpoints } from '../../domains/mesh/src/endpoints/endpoint-sets/endpoint-set-endpoints.ts';
import { cloudAccounts } from '../../domains/mesh/src/kinds/clouds/cloud-account.ts';
import { googleResources } from '../../domains/mesh/src/kinds/clouds/google-resource.ts';
import { endpointSets } from '../../domains/mesh/src/kinds/endpoint-set.ts';
import type { EndpointsProvider } from '../../domains/mesh/src/ports/endpoints.ts';
import type { CloudReady, CloudServed } from './cloud-messages.ts';

interface Size {
  readonly accounts: number;
  readonly machines: number;
  readonly services: number;
  readonly samples: number;
  /** Polls of each account while nothing changes. */
  readonly rounds: number;
}

const full: Size = { accounts: 50, machines: 200, services: 10, samples: 20, rounds: 3 };
const small: Size = { accounts: 3, machines: 20, services: 2, samples: 2, rounds: 1 };
const pollSeconds = 5;
const defaultPollSeconds = 30;

const print = (value: string, what: string): void => console.log(`${value.padStart(14)}  ${what}`);

/** Starts the cloud in a process of its own: its work does not show in the measurement. */
async function startCloud({ accounts, machines, services }: Size): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, 'cloud-process.ts'), [accounts, machines, services].map(String));
  const [{ port }] = (await once(child, 'message')) as [CloudReady];
  return { child, url: `http://127.0.0.1:${port}` };
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = JSON.stringify({
  client_email: 'bench@example.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
});

async function declare(client: Client, { accounts, services }: Size): Promise<void> {
  const put = (ref: { group: string; version: string; plural: string }, body: KubeObject): Promise<KubeObject> =>
    client.patch(
      { ...ref, namespace: 'default', name: body.metadata.name ?? '' },
      { type: 'apply', body, force: true },
      { fieldManager: 'bench' },
    );
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { 'key.json': key } };
  await put({ group: '', version: 'v1', plural: 'secrets' }, secret);
  for (let account = 0; account < accounts; account += 1) {
    for (let service = 0; service < services; service += 1) {
      const spec = { account: `a${account}`, service: `s${account}-${service}`, ports: [{ name: 'http', port: 80 }] };
      const { apiVersion, kind } = googleResources;
      const labels = { app: `service-${service}` };
      await put(googleResources.ref, {
        ...{ apiVersion, kind, metadata: { name: `r${account}-${service}` } },
        spec: { ...spec, labels },
      });
    }
    const { apiVersion, kind } = cloudAccounts;
    const spec = { google: { project: `bench-${account}` }, credentialsSecret: 'key', pollSeconds };
    await put(cloudAccounts.ref, { apiVersion, kind, metadata: { name: `a${account}` }, spec });
  }
}

function countEndpoints(provider: EndpointsProvider): number {
  return [...provider.listServices()].reduce((count, service) => {
    const [namespace = '', name = ''] = service.split('/');
    return count + provider.listEndpointsForService({ namespace, name }).length;
  }, 0);
}

/** What polls cost while nothing changes, for some rounds of all accounts. */
async function measureUnchanged(size: Size, requests: () => number): Promise<void> {
  const before = requests();
  const cpu = process.cpuUsage();
  const { accounts, machines, rounds } = size;
  await new Promise(resolve => setTimeout(resolve, rounds * pollSeconds * 1000));
  const { user, system } = process.cpuUsage(cpu);
  const polls = requests() - before;
  const perPoll = polls / rounds / accounts;
  print(`${((user + system) / 1000 / polls).toFixed(2)} ms`, `of CPU for an unchanged poll of ${machines} machines`);
  print(`${perPoll.toFixed(2)}`, 'requests per poll of an account (aim: 1 per 500 machines)');
  print(
    `${Math.round((perPoll * accounts * 60) / defaultPollSeconds)}`,
    `requests per minute to the cloud at the default pause of ${defaultPollSeconds} s`,
  );
}

/** From a change in the cloud until the endpoints show it, and the part of it after the cloud has sent it. */
async function measureChanges(size: Size, child: ChildProcess, provider: EndpointsProvider): Promise<void> {
  const total: number[] = [];
  const inside: number[] = [];
  for (let sample = 0; sample < size.samples; sample += 1) {
    const project = (sample * 7) % size.accounts;
    const shown = Promise.withResolvers<number>();
    const unsubscribe = provider.subscribe(() => shown.resolve(Date.now()));
    const served = once(child, 'message') as Promise<[CloudServed]>;
    const changedAtMs = Date.now();
    child.send({ project, stopped: [sample] });
    const [[{ atMs }], shownAtMs] = await Promise.all([served, shown.promise]);
    unsubscribe();
    total.push(shownAtMs - changedAtMs);
    inside.push(shownAtMs - atMs);
  }
  const show = (values: readonly number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    return `${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)} ms`;
  };
  print(show(inside), 'from the response of the cloud until the endpoints show the change (median / most)');
  print(show(total), `the same from the change on, with a pause of ${pollSeconds} s`);
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const size = values.quick ? small : full;
  const count = size.accounts * size.machines;
  console.log(
    `${count.toLocaleString('en-US')} machines in ${size.accounts} accounts, ${size.services} services each\n`,
  );
  const { child, url } = await startCloud(size);
  try {
    let requests = 0;
    const onRequest = (): void => void (requests += 1);
    const cloud = createGoogleCloud({ endpoint: url, onRequest });
    const kinds = [endpointSets.declaration, cloudAccounts.declaration, googleResources.declaration];
    await using plane = await startTestPlane({ kinds });
    const { client } = plane;
    await declare(client, size);
    await using provider = createEndpointSetEndpoints({ client });
    const startedAt = performance.now();
    await using _controllers = startCloudControllers({ client, clouds: [cloud], mayUseServerCredentials: () => false });
    const isRead = (): boolean => countEndpoints(provider) === count;
    await eventually(isRead, { what: 'all endpoints', timeoutMs: 120_000, pauseMs: 50 });
    print(`${((performance.now() - startedAt) / 1000).toFixed(1)} s`, 'until all accounts are read for the first time');
    await measureUnchanged(size, () => requests);
    await measureChanges(size, child, provider);
  } finally {
    child.kill();
  }
}

try {
  await run();
} catch (thrown) {
  console.error(toError(thrown).message);
  process.exitCode = 1;
}
