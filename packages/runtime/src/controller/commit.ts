import { isSameJson, type JsonObject, type KubeObject, mergeDiff } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';

/** What a reconcile has to write: one thing at most. */
export type Commit =
  | { readonly type: 'nothing' }
  /** Metadata or spec; the status of the same reconcile waits for the next one. */
  | { readonly type: 'object'; readonly patch: JsonObject }
  | { readonly type: 'status' };

/**
 * Decides what to write after a reconcile. Never spec and status together: when both changed, the object is written and the
 * reconcile repeated, whose steps state the same status again.
 */
export function planCommit(before: KubeObject, after: KubeObject): Commit {
  const patch = mergeDiff(ownFields(before), ownFields(after));
  if (patch !== undefined) return { type: 'object', patch: guarded(patch as JsonObject, before) };
  return isSameJson(before['status'], after['status']) ? { type: 'nothing' } : { type: 'status' };
}

/** What people and controllers may write, as opposed to what the server fills in. */
function ownFields(object: KubeObject): Record<string, unknown> {
  const { apiVersion: _, kind: __, metadata, status: ___, ...rest } = object;
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  return { ...rest, metadata: { labels, annotations, finalizers, ownerReferences } };
}

/** The server rejects a patch with another version (a concurrent write) or uid (another object of the name). */
function guarded(patch: JsonObject, { metadata }: KubeObject): JsonObject {
  const { resourceVersion, uid } = metadata;
  return { ...patch, metadata: { ...(patch['metadata'] as JsonObject | undefined), resourceVersion, uid } };
}

export interface CommitOptions {
  readonly client: Pick<Client, 'patch' | 'update'>;
  readonly ref: ResourceRef;
  readonly fieldManager: string;
}

/** Carries out a plan and returns the object as stored. Throws `Conflict` after a concurrent write. */
export async function writeCommit(
  { client, ref, fieldManager }: CommitOptions,
  commit: Exclude<Commit, { type: 'nothing' }>,
  after: KubeObject,
): Promise<KubeObject> {
  const at = refIn(ref, after);
  if (commit.type === 'object') return client.patch(at, { type: 'merge', body: commit.patch }, { fieldManager });
  const { managedFields: _, ...metadata } = after.metadata;
  return client.update({ ...at, subresource: 'status' }, { ...after, metadata }, { fieldManager });
}

function refIn({ group, version, plural }: ResourceRef, { metadata }: KubeObject): ObjectRef {
  const { name = '', namespace } = metadata;
  return { group, version, plural, name, ...(namespace ? { namespace } : {}) };
}
