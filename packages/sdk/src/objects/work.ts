import { ChandleryError, isError, type KubeObject, toError } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { ClusterConnection, ClusterRole, Connections } from './cluster-connection.ts';
import type { ClusterWatches } from './cluster-watches.ts';
import type { ConflictWatches } from './conflict-watches.ts';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import { findKind, kindId, placeOf } from './kind-refs.ts';
import type { KindWatch } from './kind-watch.ts';
import type { OwnerInfo, ResourceLocation } from './managed-objects.ts';
import { keepOwned } from './owned-fields.ts';
import { isOwned, managedBySelector } from './ownership.ts';

/** The dependencies of operations for an owner. */
export interface Work {
  readonly owner: OwnerInfo;
  readonly connections: Connections;
  readonly watches: ClusterWatches;
  readonly conflicts: ConflictWatches;
  readonly provider: string;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** An object on a cluster. */
export interface Found {
  readonly role: ClusterRole;
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  /** The object is desired, rather than found by its ownership labels. Default false. */
  readonly isDesired?: boolean;
}

export const locations: Readonly<Record<ClusterRole, ResourceLocation>> = {
  mcp: 'ManagedControlPlane',
  workload: 'WorkloadCluster',
};

/** The connection of a desired object. Throws `ClusterUnavailable`. */
export function connectionOf({ connections, owner }: Work, { role, body }: DesiredObject): ClusterConnection {
  const connection = connections[role];
  if (connection !== undefined) return connection;
  throw new ChandleryError(
    'ClusterUnavailable',
    `${titleOf(body)} of ${owner.kind} "${owner.key}" cannot be ${whereOf(role)}: there is no access to it`,
    { hint: `Add "${role}" to the clusters of the provider's definition.` },
  );
}

/** Reads an object with our own managedFields entry alone; undefined when it does not exist. */
export async function readObject(client: Client, ref: ObjectRef, work: Pick<Work, 'fieldManager' | 'signal'>) {
  try {
    return keepOwned(work.fieldManager)(await client.get(ref, { signal: work.signal }));
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The latest known state of a desired object, from the watch if it has it. */
export async function findObject(work: Work, desired: DesiredObject): Promise<KubeObject | undefined> {
  const connection = connectionOf(work, desired);
  const known = work.watches.watch(connection, desired.ref).find(desired.ref);
  return known ?? (await readObject(connection.client, desired.ref, work));
}

/**
 * Returns the objects with the owner's labels that are not desired, namespaces last. Reads the watches, or the servers
 * with `exact`.
 */
export async function findLeftovers(
  work: Work,
  desiredObjects: readonly DesiredObject[],
  exact = false,
): Promise<readonly Found[]> {
  for (const { role, ref } of desiredObjects) {
    const connection = work.connections[role];
    if (connection !== undefined) work.watches.watch(connection, ref);
  }
  const wanted = new Set(desiredObjects.map(({ role, ref }) => idOf(role, ref)));
  const roles = (['mcp', 'workload'] as const).filter(role => work.connections[role] !== undefined);
  const found = await Promise.all(roles.map(role => findLabelled(work, role, exact)));
  return namespacesLast(found.flat().filter(({ role, ref }) => !wanted.has(idOf(role, ref))));
}

/** Objects in a namespace are deleted before it. */
export function namespacesLast(all: readonly Found[]): readonly Found[] {
  const isNamespace = ({ object }: Found): boolean => object.kind === 'Namespace';
  return [...all.filter(found => !isNamespace(found)), ...all.filter(isNamespace)];
}

async function findLabelled(work: Work, role: ClusterRole, exact: boolean): Promise<readonly Found[]> {
  const connection = work.connections[role];
  if (connection === undefined) return [];
  await watchReported(work, role, connection);
  const kinds = await Promise.all(
    work.watches.all(connection).map(async watch => {
      const isCached = watch.isSynced && !exact;
      const objects = isCached
        ? watch.ofInstance(work.owner.instanceId)
        : await listLabelled(work, connection.client, watch);
      return objects.map(object => ({ role, object, ref: refIn(watch.ref, object) }));
    }),
  );
  return kinds.flat().filter(({ object }) => isOwned(object, work.provider, work.owner));
}

/** Also watches kinds that only the last report has. */
async function watchReported({ owner, watches, signal }: Work, role: ClusterRole, connection: ClusterConnection) {
  for (const entry of owner.resources ?? []) {
    if (entry.location !== locations[role] || !watches.isFirst(connection, `${entry.kind}.${entry.apiGroup}`)) continue;
    const ref = await findKind(connection.client, entry, signal);
    if (ref !== undefined) watches.watch(connection, ref);
  }
}

async function listLabelled(work: Work, client: Client, watch: KindWatch): Promise<readonly KubeObject[]> {
  const { provider, signal } = work;
  try {
    const labelSelector = managedBySelector(provider);
    const { items, kind, apiVersion } = await client.list(watch.ref, { labelSelector, signal });
    // Kubernetes leaves out the type of listed objects.
    return items.map(item => ({ ...item, apiVersion, kind: item.kind || kind.replace(/List$/, '') }));
  } catch (error) {
    // The kind is not served, or we may not read it: then it has no objects of ours.
    if (isError(error, 'NotFound', 'Forbidden')) return [];
    throw error;
  }
}

const refIn = (ref: ResourceRef, { metadata: { namespace, name = '' } }: KubeObject): ObjectRef => ({
  ...ref,
  name,
  ...(namespace ? { namespace } : {}),
});

const idOf = (role: ClusterRole, ref: ObjectRef): string => `${role} ${kindId(ref)} ${placeOf(ref)}`;

/** Wraps an error with the operation that failed; its code and details stay. */
export function wrapError(thrown: unknown, doing: string): ChandleryError {
  const { code, message, hint, details } = toError(thrown);
  return new ChandleryError(code, `cannot ${doing}: ${message}`, { cause: thrown, details, ...(hint && { hint }) });
}
