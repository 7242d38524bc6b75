import { isError, type KubeObject } from '@chandlery/api';
import { type ConnectionOptions, createClient, type HttpClient } from '@chandlery/client';
import { type AuthorityDocument, readAuthority } from '../authority/authority-document.ts';
import { logicalClusters } from '../clusters/logical-cluster.ts';
import { type EncryptionStatus, readEncryption } from '../store/keys-status-command.ts';
import { serverOfCluster } from './connect.ts';
import { type Counted, countDomains } from './domain-counts.ts';
import { leadingReplica } from './leading-replica.ts';

/** Every replica with proxies reports here, and its report ends with it. */
const meshReplicas = { group: 'mesh.chandlery.io', version: 'v1alpha1', plural: 'meshreplicas' };

/** Every replica on a shared database reports here. */
const landscapeReplicas = { group: 'core.chandlery.io', version: 'v1alpha1', plural: 'landscapereplicas' };

/** One line of `/readyz?verbose`. */
export interface Check {
  readonly name: string;
  readonly isOk: boolean;
  readonly reason: string;
}

/** A process of the landscape. */
export interface ReplicaStatus {
  readonly name: string;
  /** Connected proxies. */
  readonly proxies: number;
  /** Undefined for the one process on an embedded store, like the following ones. */
  readonly version?: string;
  readonly url?: string;
  readonly isLeader?: boolean;
}

/** The status of a running landscape. */
export interface LandscapeStatus {
  readonly isReady: boolean;
  readonly version: string;
  readonly commit?: string;
  /** `sqlite` or `postgres` when a readiness check named `store-…` says so, otherwise `unknown`. */
  readonly store: string;
  /** Undefined when they cannot be counted: the store is down, or the caller is a tenant. */
  readonly logicalClusters?: number;
  /** The processes on a shared database, and those with proxies. Undefined when they cannot be read. */
  readonly replicas?: readonly ReplicaStatus[];
  /** Undefined when it cannot be read. */
  readonly certificateAuthority?: AuthorityDocument;
  /** Undefined when it cannot be read. */
  readonly encryption?: EncryptionStatus;
  readonly checks: readonly Check[];
  /** Undefined when nothing could be read. */
  readonly counted?: Counted;
}

/** Reads the status of a landscape. `connection` is that of the caller's context. Rejects when no server responds. */
export async function readStatus(connection: ConnectionOptions): Promise<LandscapeStatus> {
  await using platform = createClient({ ...connection, server: serverOfCluster(connection.server, 'platform') });
  const ready = await platform.raw('/readyz', { isFromRoot: true, query: { verbose: '' }, accept: [503] });
  const checks = parseChecks(await ready.text());
  const version = await platform.raw('/version', { isFromRoot: true });
  const { gitVersion, gitCommit } = (await version.json()) as { gitVersion?: string; gitCommit?: string };
  const isReady = ready.status === 200;
  const isStoreDown = checks.some(({ name, isOk }) => name.startsWith('store-') && !isOk);
  const details = isStoreDown ? {} : await readDetails(platform, connection);
  return {
    isReady,
    version: gitVersion ?? 'unknown',
    ...(gitCommit ? { commit: gitCommit } : {}),
    store: storeOf(checks),
    ...details,
    checks,
  };
}

/** An operator sees the whole landscape, a tenant what there is on the cluster of the context. */
async function readDetails(
  platform: HttpClient,
  connection: ConnectionOptions,
): Promise<Pick<LandscapeStatus, 'logicalClusters' | 'replicas' | 'certificateAuthority' | 'encryption' | 'counted'>> {
  const clusters = await countClusters(platform).catch(orNothing);
  if (clusters === undefined) {
    await using own = createClient(connection);
    return { counted: await countDomains([own]) };
  }
  await using onboarding = createClient({ ...connection, server: serverOfCluster(connection.server, 'onboarding') });
  const replicas = await readReplicas(platform).catch(orNothing);
  const certificateAuthority = await readAuthority(platform).catch(orNothing);
  const encryption = await readEncryption(platform).catch(orNothing);
  return {
    logicalClusters: clusters,
    ...(replicas && { replicas }),
    ...(certificateAuthority && { certificateAuthority }),
    ...(encryption && { encryption }),
    counted: await countDomains([platform, onboarding]),
  };
}

type Reported = KubeObject & {
  readonly spec?: Omit<ReplicaStatus, 'name' | 'proxies'> & { readonly proxies?: number };
};

async function readReplicas(platform: HttpClient): Promise<readonly ReplicaStatus[]> {
  const [own, mesh] = await Promise.all(
    [landscapeReplicas, meshReplicas].map(async ref => (await platform.list<Reported>(ref)).items),
  );
  const leader = leadingReplica(own ?? []);
  const found = new Map<string, ReplicaStatus>();
  for (const {
    metadata: { name = '' },
    spec,
  } of own ?? []) {
    const { version, url, isLeader } = spec ?? {};
    found.set(name, {
      ...{ name, proxies: 0 },
      ...(version === undefined ? {} : { version }),
      ...(url === undefined ? {} : { url }),
      ...(isLeader === undefined ? {} : { isLeader: name === leader }),
    });
  }
  for (const {
    metadata: { name = '' },
    spec,
  } of mesh ?? [])
    found.set(name, { ...found.get(name), name, proxies: spec?.proxies ?? 0 });
  return [...found.values()];
}

/** What the caller may not read is not shown; an earlier server has less to show. */
function orNothing(error: unknown): undefined {
  if (!isError(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw error;
}

async function countClusters(client: HttpClient): Promise<number> {
  let count = 0;
  for await (const _ of client.listAll(logicalClusters)) count++;
  return count;
}

/** Reads `[+]name ok` and `[-]name failed: reason`. */
export function parseChecks(text: string): readonly Check[] {
  return [...text.matchAll(/^\[([+-])\](\S+) (?:ok|failed)(?:: (.*))?$/gm)].map(([, sign, name = '', reason = '']) => ({
    name,
    isOk: sign === '+',
    reason,
  }));
}

const storeOf = (checks: readonly Check[]): string =>
  checks
    .map(({ name }) => /^store[-:](.+)$/.exec(name)?.[1])
    .find(kind => kind !== undefined && kind !== 'integrity') ?? 'unknown';
