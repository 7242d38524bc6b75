import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type AccessRequest, accessRequests, type Cluster, clusters, systemNamespace } from '@chandlery/clusters/kinds';
import { type Logger, systemClock } from '@chandlery/platform';
import { apply, conditionsOf, createInformer, type Informer, isDeleting } from '@chandlery/runtime';
import { ConnectionPool } from '@chandlery/sdk/access';
import type { ServiceAccountName } from '../model/topology.ts';
import { memberAccessName, memberAccessRequest, memberAccessSelector } from './member-access.ts';

const accountsRef = { group: '', version: 'v1', plural: 'serviceaccounts' };

/** A connection to a member cluster. */
export interface MemberConnection {
  /** The caller disposes of it. */
  readonly client: Client;
  /** Whether this landscape serves the cluster, and with it all kinds of the mesh. */
  readonly isOwn: boolean;
}

/** Purpose and cancellation of a connection. */
export interface ConnectMemberOptions {
  /** Whether the cluster holds the policies of the mesh. */
  readonly isTopology: boolean;
  readonly signal: AbortSignal;
}

/** Connects to a member cluster by name. Rejects with `ClusterNotFound`, `AccessDenied`, and the signal's reason. */
export type ConnectMember = (cluster: string, options: ConnectMemberOptions) => Promise<MemberConnection>;

/**
 * Whether a member cluster has a service account; undefined when another server serves the cluster, whose accounts are
 * not readable.
 */
export type HasAccount = (cluster: string, account: ServiceAccountName) => Promise<boolean | undefined>;

export interface MemberConnectionsOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Whether the landscape serves a logical cluster of that name. */
  readonly isLogicalCluster: (name: string) => Promise<boolean>;
  readonly connectLogical: (name: string) => Client;
  readonly logger: Logger;
}

/**
 * Connections to member clusters. Logical clusters are connected in process; for other clusters the mesh creates an
 * AccessRequest, and renews its connections when the credentials are renewed.
 */
export class MemberConnections implements AsyncDisposable {
  readonly #options: MemberConnectionsOptions;
  readonly #pool: ConnectionPool;
  /** Undefined until the first cluster that needs an AccessRequest. */
  #requests: Informer<AccessRequest> | undefined;
  /** Ids of the connections that use an AccessRequest, by its name. */
  readonly #connections = new Map<string, Set<string>>();
  #count = 0;

  constructor(options: MemberConnectionsOptions) {
    const { platform, logger } = options;
    this.#options = options;
    this.#pool = new ConnectionPool({ platform, logger });
  }

  readonly connect: ConnectMember = async (name, options) => {
    const logical = await this.logicalNameOf(name);
    if (logical !== undefined) return { client: this.#options.connectLogical(logical), isOwn: true };
    const { platform } = this.#options;
    if ((await findCluster(platform, name)) === undefined) throw unknownCluster(name);
    const object = memberAccessRequest({ cluster: name, isTopology: options.isTopology, now: systemClock.now() });
    await apply(platform, 'chandlery-mesh', [{ plural: accessRequests.plural, object }], { signal: options.signal });
    const secret = await untilGranted(this.#informer(), name, options.signal);
    return { client: await this.#open(memberAccessName(name), secret, options.signal), isOwn: false };
  };

  readonly hasAccount: HasAccount = async (member, { namespace, name }) => {
    const logical = await this.logicalNameOf(member);
    if (logical === undefined) return undefined;
    await using client = this.#options.connectLogical(logical);
    return (await ifFound(client.get({ ...accountsRef, namespace, name }))) !== undefined;
  };

  /** The logical cluster of a member; undefined when another server serves it, or when it does not exist. */
  async logicalNameOf(member: string): Promise<string | undefined> {
    const { isLogicalCluster, platform } = this.#options;
    if (await isLogicalCluster(member)) return member;
    const { logicalCluster: name } = ((await findCluster(platform, member))?.status?.providerStatus ?? {}) as {
      readonly logicalCluster?: unknown;
    };
    return typeof name === 'string' && (await isLogicalCluster(name)) ? name : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests?.[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }

  #informer(): Informer<AccessRequest> {
    if (this.#requests !== undefined) return this.#requests;
    const { platform: client } = this.#options;
    const labelSelector = memberAccessSelector;
    this.#requests = createInformer<AccessRequest>({ client, ref: accessRequests.ref, labelSelector });
    this.#requests.listen({
      updated: ({ metadata }) => {
        for (const id of this.#connections.get(metadata.name ?? '') ?? []) void this.#pool.refresh(id);
      },
    });
    this.#requests.start();
    return this.#requests;
  }

  /**
   * Opens a connection of its own for each caller: a mesh that closes must not close the connection of its successor.
   */
  async #open(request: string, secret: string, signal: AbortSignal): Promise<Client> {
    const id = `${request}#${++this.#count}`;
    const { client } = await this.#pool.connect(id, { namespace: systemNamespace, name: secret }, signal);
    const ids = this.#connections.get(request) ?? new Set();
    this.#connections.set(request, ids.add(id));
    const close = async (): Promise<void> => {
      ids.delete(id);
      await this.#pool.close(id);
    };
    return { ...client, [Symbol.asyncDispose]: close };
  }
}

const findCluster = (platform: Client, name: string): Promise<Cluster | undefined> =>
  ifFound(platform.get<Cluster>({ ...clusters.ref, namespace: systemNamespace, name }));

async function ifFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Resolves with the name of the Secret that holds the credentials. */
async function untilGranted(requests: Informer<AccessRequest>, cluster: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const isOurs = ({ metadata }: AccessRequest): boolean => metadata.name === memberAccessName(cluster);
  const onChange = (request: AccessRequest): void => {
    if (!isOurs(request) || isDeleting(request)) return;
    const { phase, secretRef, observedGeneration } = request.status ?? {};
    if (observedGeneration !== undefined && observedGeneration !== request.metadata.generation) return;
    if (phase === 'Denied') reject(denied(cluster, request));
    else if (phase === 'Granted' && secretRef !== undefined) resolve(secretRef.name);
  };
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const onDeleted = (request: AccessRequest): void => (isOurs(request) ? reject(withdrawn(cluster)) : undefined);
  const unlisten = requests.listen({ added: onChange, updated: onChange, deleted: onDeleted });
  try {
    return await promise;
  } finally {
    unlisten();
    signal.removeEventListener('abort', abort);
  }
}

const unknownCluster = (name: string): ChandleryError =>
  new ChandleryError('ClusterNotFound', `there is no cluster "${name}"`, {
    hint: `name a logical cluster, or a Cluster in the namespace ${systemNamespace} of the platform cluster`,
  });

const withdrawn = (cluster: string): ChandleryError =>
  new ChandleryError('AccessDenied', `the request to read cluster "${cluster}" was deleted`, {
    hint: 'try again: it is created again while a mesh has the cluster',
  });

function denied(cluster: string, request: AccessRequest): ChandleryError {
  const why = conditionsOf(request).find(({ status }) => status !== 'True')?.message ?? 'no reason is given';
  return new ChandleryError('AccessDenied', `the mesh may not read cluster "${cluster}": ${why}`, {
    hint: `see AccessRequest ${systemNamespace}/${memberAccessName(cluster)} on the platform cluster`,
  });
}
