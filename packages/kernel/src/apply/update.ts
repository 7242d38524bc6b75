import { isError, isSameJson, type KubeObject, type ManagedFieldsEntry, type StructuralSchema } from '@chandlery/api';
import type { Steps } from '@chandlery/platform';
import { capUpdateManagers } from './cap-managers.ts';
import { type Comparison, compareObjects } from './compare.ts';
import { emptySet, type FieldSet, isEmptySet, subtractFields, unionFields } from './field-set.ts';
import {
  bareObject,
  encodeManagers,
  type Manager,
  managerIdentity,
  newEntry,
  parseManagedFields,
  releaseFields,
  renewManager,
  storedManagers,
  withManagedFields,
} from './managed-fields.ts';
import { type OwnershipScope, ownableFields } from './ownership-scope.ts';

/** A write other than apply. */
export interface TrackedUpdate {
  /** The object before the write; undefined when it is being created. */
  readonly live: KubeObject | undefined;
  /** The object as it will be stored, defaults included. */
  readonly updated: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Of the whole object, metadata included. */
  readonly schema: StructuralSchema;
  /** What the endpoint may own. Default: everything. */
  readonly scope?: OwnershipScope | undefined;
  /** RFC 3339, in seconds. */
  readonly now: string;
}

/**
 * Notes the owners of fields after a create, update or patch: what was added or changed now belongs to the writer
 * alone, what was removed has no owner. Results in `updated` with its managedFields.
 *
 * An existing object without managedFields stays without: they were cleared, or it was never tracked.
 */
export function* trackUpdate(update: TrackedUpdate): Steps<KubeObject> {
  const { live, updated } = update;
  const managers = managersBefore(update);
  if (managers.length === 0 && live !== undefined) return withManagedFields(updated, undefined);
  yield;
  const { changed, removed } = changesOf(update);
  yield;
  const next = transferFields(managers, changed, removed, update);
  if (next.every((manager, i) => manager === managers[i]) && isStored(managers, live)) {
    return withManagedFields(updated, live?.metadata.managedFields);
  }
  yield;
  const kept = capUpdateManagers(next);
  yield;
  return withManagedFields(updated, yield* encodeManagers(kept));
}

/** True when the managers are exactly those of the stored object. */
function isStored(managers: readonly Manager[], live: KubeObject | undefined): boolean {
  const entries = live?.metadata.managedFields ?? [];
  return entries.length === managers.length && entries.every((entry, i) => entry === managers[i]?.entry);
}

/**
 * A client may edit managedFields through the main endpoint: `[{}]` clears them, a well-formed list replaces them.
 * Anything else leaves them as they are, for the sake of clients that do not understand them.
 */
function managersBefore({ live, updated, subresource }: TrackedUpdate): readonly Manager[] {
  const sent = updated.metadata.managedFields;
  const stored = live?.metadata.managedFields;
  if (subresource || !Array.isArray(sent) || isSameJson(asJson(sent), asJson(stored))) return storedManagers(live);
  if (isReset(sent)) return [];
  const managers = wellFormed(sent);
  return managers.length === 0 ? storedManagers(live) : managers;
}

const asJson = (entries: ManagedFieldsEntry[] | undefined) => entries as Parameters<typeof isSameJson>[0];

const isReset = ([first, second]: readonly ManagedFieldsEntry[]): boolean =>
  first !== undefined && second === undefined && Object.values(first).every(value => value === undefined);

function wellFormed(sent: readonly ManagedFieldsEntry[]): readonly Manager[] {
  return ifGood(() => parseManagedFields(sent)) ?? [];
}

/** The result, or undefined when the data was malformed. */
function ifGood<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (isError(error, 'BadRequest')) return undefined;
    throw error;
  }
}

function changesOf({ live, updated, schema, scope }: TrackedUpdate): { changed: FieldSet; removed: FieldSet } {
  // List items without identity are the validator's business; ownership then simply stays as it is.
  const comparison: Comparison | undefined = ifGood(() =>
    compareObjects(bareObject(live), bareObject(updated), schema),
  );
  if (comparison === undefined) return { changed: emptySet, removed: emptySet };
  return {
    changed: ownableFields(unionFields(comparison.added, comparison.modified), scope),
    removed: ownableFields(comparison.removed, scope),
  };
}

/** Gives changed fields to the writer alone and takes removed ones from all managers. */
function transferFields(
  managers: readonly Manager[],
  changed: FieldSet,
  removed: FieldSet,
  update: TrackedUpdate,
): readonly Manager[] {
  const entry = newEntry({ ...update, operation: 'Update' }, update.now);
  const isWriting = !isEmptySet(changed);
  const isWriter = (manager: Manager): boolean =>
    isWriting && managerIdentity(manager.entry) === managerIdentity(entry);
  const writer = managers.find(isWriter);
  const others = managers
    .filter(manager => manager !== writer)
    .map(manager => releaseFields(manager, changed, removed));
  if (!isWriting) return others;
  const own = writer === undefined ? emptySet : subtractFields(writer.fields, removed);
  return [...others, renewManager(writer, entry, unionFields(own, changed))];
}
