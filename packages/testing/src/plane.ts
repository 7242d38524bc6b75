import { generateKeyPairSync } from 'node:crypto';
import type { KindDeclaration, KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import type { Kernel, UserInfo } from '@chandlery/kernel';
import type { Clock, ServiceAccountTokens } from '@chandlery/platform';
import { countReads } from './count-reads.ts';
import { tempFolder } from './temp-folder.ts';
import { eventually } from './wait-for.ts';

export interface TestPlaneOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Logical clusters to begin with, besides `platform` and `onboarding`. Default none. */
  readonly clusters?: readonly string[];
  /** Kinds that every logical cluster has from the start, besides the built-in ones. Default none. */
  readonly kinds?: readonly KindDeclaration[];
}

/** A kernel of its own in this process, without a server: the quickest real API for tests of controllers. */
export interface TestPlane extends AsyncDisposable {
  /** The cluster `onboarding`, as its administrator. */
  readonly client: AtomicClient;
  /** Another logical cluster, or another user. The plane disposes of the client. */
  connect(cluster: string, user?: UserInfo): AtomicClient;
  /** How many reads the store was asked for so far. */
  readonly storeReads: () => number;
  /** Makes a logical cluster and waits until it can be used. */
  createCluster(name: string): Promise<AtomicClient>;
}

const noCipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
const logicalClusters = { group: 'core.chandlery.io', version: 'v1alpha1', plural: 'logicalclusters' };
const defaultNamespace = { group: '', version: 'v1', plural: 'namespaces', name: 'default' };

/** Starts a plane: `await using plane = await startTestPlane()`. */
export async function startTestPlane(options: TestPlaneOptions = {}): Promise<TestPlane> {
  // Loaded only here: stories that start whole processes need none of it, and it takes longer than all else of ours.
  const { createKernelClient, Kernel, openStore, soleLeader } = await import('@chandlery/kernel');
  const { ServiceAccountTokens, systemClock } = await import('@chandlery/platform');
  const { clock = systemClock, clusters = [], kinds = [] } = options;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const storeReads = countReads(store);
  const kernel = new Kernel({
    store,
    cipher: noCipher,
    leadership: soleLeader,
    kinds,
    clock,
    tokens: testTokens(ServiceAccountTokens),
    onFailure: () => undefined,
  });
  stack.use(kernel);
  await kernel.start();
  const clients = stack.use(new AsyncDisposableStack());
  const connect = (cluster: string, user?: UserInfo): AtomicClient =>
    clients.use(createKernelClient(kernel, { cluster, ...(user === undefined ? {} : { user }) }));
  const platform = connect('platform');
  const createCluster = async (name: string): Promise<AtomicClient> => {
    await platform.create(logicalClusters, logicalCluster(name));
    const client = connect(name);
    await eventually(async () => (await client.get(defaultNamespace)).metadata.name === 'default', {
      what: `logical cluster "${name}"`,
    });
    return client;
  };
  for (const name of clusters) await createCluster(name);
  const client = connect('onboarding');
  const all = stack.move();
  return { client, connect, storeReads, createCluster, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const logicalCluster = (name: string): KubeObject => ({
  apiVersion: 'core.chandlery.io/v1alpha1',
  kind: 'LogicalCluster',
  metadata: { name },
});

function testTokens(Tokens: typeof ServiceAccountTokens): ConstructorParameters<typeof Kernel>[0]['tokens'] {
  const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const tokens = new Tokens({ signingKey });
  return {
    issue: async ({ audiences, expirationSeconds = 3600, ...request }) =>
      tokens.issue({ ...request, expirationSeconds, ...(audiences.length === 0 ? {} : { audiences }) }),
  };
}
