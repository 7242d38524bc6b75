import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { kindId } from '../objects/kind-refs.ts';
import { keepOwned } from '../objects/owned-fields.ts';
import { copyPlace } from './copy-body.ts';
import type { Side } from './side.ts';
import { type Link, syncManagerOf } from './sync-ownership.ts';
import type { Place, SyncContext, SyncDefinition } from './syncer.ts';

/** The dependencies of syncing one source. */
export interface SyncWork {
  readonly definition: SyncDefinition;
  /** Key of the source. */
  readonly source: string;
  readonly owner: { readonly key: string; readonly instanceId: string };
  readonly context: SyncContext;
  readonly provider: string;
  readonly mcp: { readonly client: Client; readonly side: Side };
  readonly workload: { readonly client: Client; readonly side: Side };
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Registers a related object of the source: its changes enqueue the source. */
  expectOrigin(from: 'mcp' | 'workload', ref: ObjectRef): void;
  /** Called when the change of another client was reverted. */
  repaired(kind: string, what: string): void;
}

/** The link for copies of a definition, or for its related objects. */
export function linkOf({ provider, owner, definition, source }: SyncWork, related?: string): Link {
  const role = kindId(definition.kind.ref);
  return {
    provider,
    instanceId: owner.instanceId,
    owner: owner.key,
    role: related === undefined ? role : `${role}/${related}`,
    source,
  };
}

export const copyRefOf = ({ definition, context }: SyncWork, source: KubeObject): ObjectRef => ({
  ...definition.kind.ref,
  ...copyPlace(definition, source, context),
});

/** The reference to an object of a collection. */
export const refTo = ({ group, version, plural }: ResourceRef, place: Partial<Place>): ObjectRef => ({
  group,
  version,
  plural,
  name: place.name ?? '',
  ...(place.namespace ? { namespace: place.namespace } : {}),
});

/** Reads an object from the server; undefined when it does not exist. */
export async function readLive(
  client: Client,
  ref: ObjectRef,
  { provider, signal }: Pick<SyncWork, 'provider' | 'signal'>,
) {
  try {
    return keepOwned(syncManagerOf(provider))(await client.get(ref, { signal }));
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Applies with the syncer's field manager. */
export async function applyAs(client: Client, ref: ObjectRef, body: KubeObject, work: SyncWork): Promise<KubeObject> {
  const fieldManager = syncManagerOf(work.provider);
  const patch = { type: 'apply', body, force: true } as const;
  return keepOwned(fieldManager)(await client.patch(ref, patch, { fieldManager, signal: work.signal }));
}

/** Deletes the object that was read, by uid; one that is deleted or being deleted is left alone. */
export async function deleteSeen(client: Client, ref: ObjectRef, seen: KubeObject, signal: AbortSignal): Promise<void> {
  if (seen.metadata.deletionTimestamp !== undefined) return;
  try {
    await client.delete(ref, { preconditions: { uid: seen.metadata.uid }, propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isError(error, 'NotFound', 'Conflict')) throw error;
  }
}
