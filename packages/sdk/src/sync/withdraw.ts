import { isError, type JsonObject, type KubeObject, type ManagedFieldsEntry } from '@chandlery/api';
import type { Client, ListOptions, ResourceRef } from '@chandlery/client';
import { hasFinalizer, retryOnConflict } from '@chandlery/runtime';
import { kindId } from '../objects/kind-refs.ts';
import { syncedBySelector, syncFinalizer, syncManagerOf, withoutLink } from './sync-ownership.ts';
import { deleteSeen, refTo } from './sync-work.ts';
import type { DisengageReport, Engagement, RelatedDefinition, SyncDefinition } from './syncer.ts';

/** An owner, whose objects are read from the servers. */
interface Withdrawal extends Engagement {
  readonly definitions: readonly SyncDefinition[];
  readonly provider: string;
  readonly signal: AbortSignal;
}

/** Deletes what was created for an owner, then the finalizers of the sources. Call it until it is clean. */
export async function withdraw(given: Withdrawal): Promise<DisengageReport> {
  for (const { client, ref } of relatedPlaces(given)) {
    for (const made of await listMade(given, client, ref))
      await deleteSeen(client, refTo(ref, made.metadata), made, given.signal);
  }
  for (const { kind } of given.definitions) {
    const left = await withdrawCopies(given, kind.ref);
    if (left > 0)
      return {
        isClean: false,
        message: `Waiting for ${left} copies of ${kind.plural} on the workload cluster to be deleted.`,
      };
    await dropFinalizers(given, kind.ref);
  }
  return { isClean: true, message: '' };
}

/** Removes our labels, finalizers and field ownership, and leaves everything else unchanged. */
export async function letGo(given: Withdrawal): Promise<DisengageReport> {
  const { client: workload } = given.connections.workload ?? {};
  const copies = given.definitions.map(({ kind }) => ({ client: workload, ref: kind.ref }));
  for (const { client, ref } of [...relatedPlaces(given), ...copies]) {
    if (client === undefined) continue;
    for (const made of await listMade(given, client, ref)) await unmark(given, client, refTo(ref, made.metadata));
  }
  for (const { kind } of given.definitions) await dropFinalizers(given, kind.ref);
  return { isClean: true, message: '' };
}

/** Returns the number of copies that still exist. */
async function withdrawCopies(given: Withdrawal, ref: ResourceRef): Promise<number> {
  const { client } = given.connections.workload ?? {};
  if (client === undefined) return 0;
  for (const copy of await listMade(given, client, ref))
    await deleteSeen(client, refTo(ref, copy.metadata), copy, given.signal);
  return (await listMade(given, client, ref)).length;
}

async function dropFinalizers({ connections, provider, signal }: Withdrawal, ref: ResourceRef): Promise<void> {
  const { client } = connections.mcp ?? {};
  if (client === undefined) return;
  for (const source of await listServed(client, ref, { signal })) {
    if (!hasFinalizer(source, syncFinalizer)) continue;
    await retryOnConflict(() => dropFinalizer(client, refTo(ref, source.metadata), { provider, signal }));
  }
}

async function dropFinalizer(
  client: Client,
  ref: ReturnType<typeof refTo>,
  { provider, signal }: Pick<Withdrawal, 'provider' | 'signal'>,
): Promise<void> {
  try {
    const { metadata } = await client.get(ref, { signal });
    const finalizers = (metadata.finalizers ?? []).filter(finalizer => finalizer !== syncFinalizer);
    const body = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, finalizers } };
    await client.patch(ref, { type: 'merge', body }, { fieldManager: syncManagerOf(provider), signal });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

function unmark({ provider, signal }: Withdrawal, client: Client, ref: ReturnType<typeof refTo>): Promise<void> {
  return retryOnConflict(async () => {
    try {
      const { metadata } = await client.get(ref, { signal });
      const { uid, resourceVersion, managedFields = [] } = metadata;
      const others = managedFields.filter(({ manager }) => manager !== syncManagerOf(provider));
      // An empty list would be ignored: one empty entry means none.
      const kept: ManagedFieldsEntry[] = others.length === 0 ? [{}] : others;
      const body = { metadata: { uid, resourceVersion, ...withoutLink, managedFields: kept as JsonObject[] } };
      await client.patch(ref, { type: 'merge', body }, { signal });
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  });
}

/** The places of copied related objects. */
function relatedPlaces({ definitions, connections }: Withdrawal): { client: Client; ref: ResourceRef }[] {
  const all = definitions.flatMap(({ related = [] }) => related);
  const distinct = new Map(all.map(related => [`${related.from} ${kindId(related.ref)}`, related]));
  return [...distinct.values()].flatMap(({ from, ref }: RelatedDefinition) => {
    const client = (from === 'mcp' ? connections.workload : connections.mcp)?.client;
    return client === undefined
      ? []
      : [{ client, ref: { group: ref.group, version: ref.version, plural: ref.plural } }];
  });
}

const listMade = ({ provider, owner, signal }: Withdrawal, client: Client, ref: ResourceRef): Promise<KubeObject[]> =>
  listServed(client, ref, { labelSelector: syncedBySelector(provider, owner.instanceId), signal });

/** A kind that is not served has no objects. */
async function listServed(client: Client, ref: ResourceRef, options: ListOptions): Promise<KubeObject[]> {
  try {
    return await Array.fromAsync(client.listAll(ref, options));
  } catch (error) {
    if (isError(error, 'NotFound')) return [];
    throw error;
  }
}
