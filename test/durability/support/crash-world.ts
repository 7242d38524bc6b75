import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { hostImages } from '@chandlery/clusters/kinds';
import { controlPlanes, type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { eventually, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { assertCounts, type Census, takeCensus } from './census.ts';
import { crateConfigs, crates, dockConfigs, docks } from './crash-provider/kinds.ts';
import { clientOf, compileCache, named, namespaces } from './landscape-client.ts';
import { LandscapeProcesses } from './landscape-processes.ts';
import { TenantLedger } from './tenant-ledger.ts';

/** For a machine that does other things too. */
export const patience = { timeoutMs: 120_000, pauseMs: 100 };

const image = 'example.com/crash-provider';
const namespace = 'default';

/** A landscape with two providers, and a tenant who uses them. */
export interface CrashWorld extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly processes: LandscapeProcesses;
  readonly platform: Client;
  readonly crates: TenantLedger;
  readonly docks: TenantLedger;
  readonly controlPlanes: TenantLedger;
  installProviders(): Promise<void>;
  removeProviders(): Promise<void>;
  /** Waits until all desired objects are ready and nothing changes any more, and counts. */
  stillCensus(): Promise<Census>;
  /** Waits until all desired objects are ready, all others are deleted, and all counts are as expected. */
  settle(...counts: ParametersAfterFirst<typeof assertCounts>): Promise<Census>;
}

type ParametersAfterFirst<F> = F extends (first: Census, ...rest: infer Rest) => void ? Rest : never;

/** Starts the landscape; the providers are installed when the story asks for it. */
export async function startCrashWorld(): Promise<CrashWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const filesFolder = folder.join('files');
  await mkdir(filesFolder);
  const landscape = stack.use(await startTestLandscape({ env: compileCache }));
  // Ends well once, which leaves compiled code for the starts to come.
  await landscape.restart();
  const platform = stack.use(clientOf(landscape, 'platform'));
  const onboarding = stack.use(clientOf(landscape, 'onboarding'));
  // The first access to a cluster leaves a namespace for those to come.
  const accounts = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openmcp-access' } };
  await onboarding.create(namespaces, accounts);
  const processes = new LandscapeProcesses(landscape.dataDir);
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const ledgerOf = (kind: { readonly ref: ResourceRef }, objectOf: (name: string) => KubeObject): TenantLedger =>
    new TenantLedger({
      client: onboarding,
      collection: { ...kind.ref, namespace },
      objectOf,
      stop: ending.signal,
    });
  const ledgers = {
    crates: ledgerOf(crates, name => crates.object({ name }, { content: name })),
    docks: ledgerOf(docks, name => docks.object({ name }, {})),
    controlPlanes: ledgerOf(controlPlanes, name => controlPlanes.object({ name }, {})),
  };
  const count = async (): Promise<Census> => {
    for (const ledger of Object.values(ledgers)) await ledger.check();
    return await takeCensus({ landscape, processes, filesFolder });
  };
  const all = stack.move();
  return {
    landscape,
    processes,
    platform,
    ...ledgers,
    stillCensus: () => untilStill(count),
    installProviders: () => installProviders(platform, filesFolder),
    removeProviders: () => removeProviders(platform),
    settle: (...counts) =>
      eventually(
        async () => {
          const found = await count();
          assertCounts(found, ...counts);
          return found;
        },
        { ...patience, pauseMs: 300, what: 'everything to be settled' },
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Counts until two counts in a row are the same. */
async function untilStill(count: () => Promise<Census>): Promise<Census> {
  const seen: { last?: Census } = {};
  const isSame = async (): Promise<Census | undefined> => {
    const before = seen.last;
    seen.last = await count();
    if (before === undefined) return undefined;
    assertCounts(seen.last, before);
    return seen.last;
  };
  return await eventually(isSame, { ...patience, pauseMs: 500, what: 'everything to be still' });
}

async function installProviders(platform: Client, filesFolder: string): Promise<void> {
  const env = { CRATES_FOLDER: filesFolder, ...compileCache };
  const program = { image, folder: join(import.meta.dirname, 'crash-provider'), command: ['node', './main.ts'], env };
  await platform.create(hostImages.ref, hostImages.object({ name: 'crash-provider' }, program));
  for (const [name, configs] of [
    ['crates', crateConfigs],
    ['docks', dockConfigs],
  ] as const) {
    await platform.create(serviceProviders.ref, provider(name));
    await eventually(() => platform.create(configs.ref, configs.object({ name }, {})), patience);
    await eventually(
      async () => (await platform.get<Provider>(named(serviceProviders.ref, name))).status?.phase === 'Ready',
      {
        ...patience,
        what: `provider ${name}`,
      },
    );
  }
}

const provider = (name: string): KubeObject => ({
  apiVersion: serviceProviders.apiVersion,
  kind: 'ServiceProvider',
  metadata: { name },
  spec: { image: `${image}:v1` },
});

async function removeProviders(platform: Client): Promise<void> {
  for (const name of ['crates', 'docks']) await platform.delete(named(serviceProviders.ref, name));
  await eventually(async () => (await platform.list(serviceProviders.ref)).items.length === 0, patience);
  await platform.delete(named(hostImages.ref, 'crash-provider'));
}
