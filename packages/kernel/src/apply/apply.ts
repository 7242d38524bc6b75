import { badRequest, type JsonObject, type KubeObject, type StructuralSchema } from '@chandlery/api';
import type { Steps } from '@chandlery/platform';
import { type Comparison, compareObjects, isSame } from './compare.ts';
import { conflictError, findConflicts, withoutFields } from './conflicts.ts';
import { equalFields, type FieldSet, isEmptySet, unionFields } from './field-set.ts';
import { everyFieldBelow, fieldSetOf } from './field-set-of.ts';
import { fieldsOfLastApplied, refreshLastApplied } from './last-applied.ts';
import {
  bareObject,
  encodeManagers,
  type Manager,
  managerIdentity,
  newEntry,
  releaseFields,
  renewManager,
  storedManagers,
  withManagedFields,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { applicableBody, neverOwned, type OwnershipScope, ownableFields } from './ownership-scope.ts';
import { abandonedFields, removeFields } from './remove-fields.ts';

/** A server-side apply. */
export interface ServerSideApply {
  /** The stored object; undefined when there is none yet. */
  readonly live: KubeObject | undefined;
  /** The body: what the manager wants, and nothing else. */
  readonly applied: KubeObject;
  readonly manager: string;
  /** Take conflicting fields over instead of rejecting. Default false. */
  readonly force?: boolean | undefined;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Of the whole object, metadata included. */
  readonly schema: StructuralSchema;
  /** What the endpoint may own; the rest of the body is ignored. Default: everything. */
  readonly scope?: OwnershipScope | undefined;
  /** RFC 3339, in seconds. */
  readonly now: string;
}

export interface Applied {
  /** The object to store, managedFields included; `live` itself when nothing changed. */
  readonly object: KubeObject;
  readonly changed: boolean;
}

/**
 * Merges what a manager applies into the object, removes what it no longer applies and no other manager owns, and notes
 * ownership. The caller has checked the body's identity and resourceVersion.
 *
 * Throws `Conflict` when another manager owns a field that would change, `BadRequest` for bodies that cannot be applied.
 */
export function* applyServerSide(apply: ServerSideApply): Steps<Applied> {
  const { live, manager, schema, scope } = apply;
  requireApplicable(apply);
  const body = applicableBody(apply.applied, scope);
  const wanted = ownableFields(fieldSetOf(body, schema), scope);
  yield;
  const before = managersBefore(apply);
  const { own, others } = splitManagers(before, apply);
  const bare = bareObject(live);
  yield;
  const merged = mergeApplied(bare, body, schema);
  yield;
  const target = prune(merged, own, others, wanted, schema);
  yield;
  const comparison = compareObjects(bare, target, schema);
  yield;
  const managers = claim(apply, { own, others, wanted, comparison });
  yield;

  const hasNewOwners = managers.length !== before.length || managers.some(one => !before.includes(one));
  const content = isSame(comparison) && live !== undefined ? live : (target as unknown as KubeObject);
  const entries = hasNewOwners || live === undefined ? yield* encodeManagers(managers) : live.metadata.managedFields;
  const object = refreshLastApplied(withManagedFields(content, entries), apply.applied, manager);
  return { object, changed: object !== live };
}

function requireApplicable({ applied, apiVersion }: ServerSideApply): void {
  if ((applied.metadata.managedFields ?? null) !== null) throw badRequest('metadata.managedFields must be nil');
  if (applied.apiVersion === apiVersion) return;
  throw badRequest(
    `Incorrect version specified in apply patch. Specified patch version: ${applied.apiVersion}, expected: ${apiVersion}`,
  );
}

/** Untracked fields of an object belong to `before-first-apply`, so that the first applier cannot prune them. */
function managersBefore(apply: ServerSideApply): readonly Manager[] {
  const { live, schema, scope, now } = apply;
  const managers = storedManagers(live);
  if (live === undefined || managers.length > 0) return managers;
  const fields = ownableFields(everyFieldBelow(bareObject(live), schema) ?? {}, scope);
  const entry = newEntry({ ...apply, manager: 'before-first-apply', operation: 'Update' }, now);
  return [{ entry, fields }];
}

function splitManagers(
  managers: readonly Manager[],
  apply: ServerSideApply,
): { own: Manager | undefined; others: readonly Manager[] } {
  const identity = managerIdentity(entryOf(apply));
  const own = managers.find(({ entry }) => managerIdentity(entry) === identity);
  return { own, others: managers.filter(manager => manager !== own) };
}

const entryOf = (apply: ServerSideApply) => newEntry({ ...apply, operation: 'Apply' }, apply.now);

/** Removes what this manager applied last time, does not apply now, and no other manager owns. */
function prune(
  merged: JsonObject,
  own: Manager | undefined,
  others: readonly Manager[],
  wanted: FieldSet,
  schema: StructuralSchema,
): JsonObject {
  if (own === undefined || equalFields(own.fields, wanted)) return merged;
  // Fields that cannot be owned cannot be given up either.
  const owned = others.reduce((set, { fields }) => unionFields(set, fields), unionFields(wanted, neverOwned));
  return removeFields(merged, abandonedFields(own.fields, owned, schema), schema);
}

interface Claim {
  readonly own: Manager | undefined;
  readonly others: readonly Manager[];
  readonly wanted: FieldSet;
  readonly comparison: Comparison;
}

/** The managers afterwards. Rejects conflicts unless forced. */
function claim(apply: ServerSideApply, { own, others, wanted, comparison }: Claim): readonly Manager[] {
  const changed = ownableFields(unionFields(comparison.added, comparison.modified), apply.scope);
  if (apply.force !== true) rejectConflicts(apply, others, changed);
  const rest = others.map(manager => releaseFields(manager, changed, comparison.removed));
  return [...rest, ...claimant(apply, own, wanted, isSame(comparison))];
}

/** The applier's own entry keeps its time while neither the object nor its fields change. */
function claimant(apply: ServerSideApply, own: Manager | undefined, wanted: FieldSet, isUnchanged: boolean): Manager[] {
  const isKept = own !== undefined && equalFields(own.fields, wanted) && own.entry.apiVersion === apply.apiVersion;
  if (isKept && isUnchanged) return [own];
  return isEmptySet(wanted) ? [] : [renewManager(own, entryOf(apply), wanted)];
}

function rejectConflicts(apply: ServerSideApply, others: readonly Manager[], changed: FieldSet): void {
  const conflicts = findConflicts(others, changed);
  if (conflicts.length === 0) return;
  const left = withoutFields(conflicts, fieldsOfLastApplied(apply.live, apply.manager, apply.schema));
  if (left.length > 0) throw conflictError(left);
}
