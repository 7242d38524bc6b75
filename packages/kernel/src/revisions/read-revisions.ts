import { apiError, type ManagedFieldsEntry, notFound } from '@chandlery/api';
import { withTimeLimit } from '@chandlery/platform';
import { keyOfTarget, type ResourceDeps, type Target } from '../resources/request.ts';
import { type Served, serveStored } from '../resources/served.ts';
import type { Change, ObjectKey, StoredObject } from '../store/store.ts';
import { revisionMsOf } from './retention.ts';
import { readVersionFacts } from './version-facts.ts';

/** A version that an object has or had. */
export interface ServedRevision {
  readonly served: Served;
  readonly type: Change['type'];
  /** When it was written, in milliseconds. */
  readonly at: number;
  readonly isCurrent: boolean;
}

export interface ServedRevisions {
  /** Newest first. */
  readonly items: readonly ServedRevision[];
  /** The newest revision of the next page; undefined for the last page. */
  readonly next: number | undefined;
}

/** An object whose past is read. */
export interface PastTarget extends Target {
  /** Whether earlier objects of the same name belong to it. */
  readonly hasEarlier: boolean;
}

/** A page ends before it becomes larger. */
const maxPageBytes = 4 * 1024 * 1024;
/** The process that leads may be another one: its copy comes a second later. */
const maxCatchUpMs = 1000;

/** The versions of an object, and of earlier ones of its name as far as they belong to it. Throws `NotFound` when there is none. */
export async function listRevisions(
  deps: ResourceDeps,
  target: PastTarget,
  { limit, upTo }: { readonly limit: number; readonly upTo?: number | undefined },
): Promise<ServedRevisions> {
  const { current, since } = await openRevisions(deps, target);
  const items =
    current !== undefined && (upTo ?? current.revision) >= current.revision ? [present(target, deps, current)] : [];
  const page = await deps.store.revisions.page({
    key: keyOfTarget(target),
    limit: limit - items.length,
    maxBytes: maxPageBytes,
    ...(upTo === undefined ? {} : { upTo }),
  });
  const older = page.items.filter(({ createdRevision }) => createdRevision >= since);
  for (const revision of older) items.push(past(target, deps, revision));
  if (items.length === 0 && upTo === undefined) throw notFound(target.resource.kind.groupResource, target.name);
  const isCut = page.more && older.length === page.items.length;
  return { items, next: isCut ? (page.items.at(-1)?.revision ?? current?.revision ?? 0) - 1 : undefined };
}

/** Which version of an object: that of a revision, or the one that it had at a time. */
export type RevisionChoice = { readonly revision: number } | { readonly atMs: number };

/** An object as it was. Throws `NotFound` where it did not exist, and `Expired` for what is no longer kept. */
export async function getRevision(deps: ResourceDeps, target: PastTarget, choice: RevisionChoice): Promise<Served> {
  const { current, since } = await openRevisions(deps, target);
  const wanted = 'revision' in choice ? { upTo: choice.revision } : { atMs: choice.atMs };
  if (current !== undefined && isAtOrBefore(current, choice)) return serveStored(target.resource, deps.codec, current);
  const { items } = await deps.store.revisions.page({ key: keyOfTarget(target), limit: 1, ...wanted });
  const [found] = items.filter(({ createdRevision }) => createdRevision >= since);
  if (found === undefined)
    throw current === undefined || isBeforeBirth(target, deps, current, choice) ? missing(target) : notKept(target);
  if ('revision' in choice ? found.revision !== choice.revision : found.type === 'deleted')
    throw 'revision' in choice ? notKept(target) : missing(target);
  return serveStored(target.resource, deps.codec, found);
}

interface OpenRevisions {
  readonly current: StoredObject | undefined;
  /** Objects that were created before this revision are those of others. */
  readonly since: number;
}

async function openRevisions(deps: ResourceDeps, target: PastTarget): Promise<OpenRevisions> {
  if (revisionMsOf(target.resource.kind.stored, deps.revisions.days) === 0) throw notKeptForKind(target);
  await withTimeLimit(deps.revisions.keeper.catchUp(), maxCatchUpMs);
  const current = await deps.store.get(keyOfTarget(target));
  if (target.hasEarlier) return { current, since: await namespaceRevision(deps, target) };
  if (current === undefined) throw missing(target);
  return { current, since: current.createdRevision };
}

/** A namespace may have been deleted and made again by someone else, who must not read what was there before. */
async function namespaceRevision({ store }: ResourceDeps, { cluster, namespace }: Target): Promise<number> {
  if (namespace === '') return 0;
  const key: ObjectKey = { cluster, resource: '/namespaces', namespace: '', name: namespace };
  const found = await store.get(key);
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return found.createdRevision;
}

function present({ resource }: Target, { codec }: ResourceDeps, current: StoredObject): ServedRevision {
  const type = current.revision === current.createdRevision ? 'created' : 'updated';
  return { served: serveStored(resource, codec, current), type, at: timeOf(current), isCurrent: true };
}

const past = (
  { resource }: Target,
  { codec }: ResourceDeps,
  revision: StoredObject & Pick<ServedRevision, 'type' | 'at'>,
): ServedRevision => ({
  served: serveStored(resource, codec, revision),
  type: revision.type,
  at: revision.at,
  isCurrent: false,
});

/** Unknown for objects without managedFields: as if they had always been so. */
const timeOf = ({ value }: StoredObject): number => readVersionFacts(value).writtenAt ?? 0;

const isAtOrBefore = (current: StoredObject, choice: RevisionChoice): boolean =>
  'revision' in choice ? current.revision === choice.revision : timeOf(current) <= choice.atMs;

/** Whether the object did not exist yet. */
function isBeforeBirth(
  { resource }: Target,
  { codec }: ResourceDeps,
  current: StoredObject,
  choice: RevisionChoice,
): boolean {
  if ('revision' in choice) return choice.revision < current.createdRevision;
  const { creationTimestamp = '' } = serveStored(resource, codec, current).object.metadata;
  return choice.atMs < Date.parse(creationTimestamp);
}

const missing = ({ resource: { kind }, name }: Target): Error => notFound(kind.groupResource, name);

const notKept = ({ resource: { kind }, name }: Target): Error =>
  apiError(
    'Expired',
    `that revision of ${kind.kind} "${name}" is not kept: it is too old, or a later one stands for it; list those that are, with ?revisions`,
  );

const notKeptForKind = ({ resource: { kind } }: Target): Error =>
  apiError(
    'MethodNotAllowed',
    `revisions of ${kind.kind} are not kept: it holds secrets, is short-lived or changes too often`,
  );

/** The owner of fields who wrote last. Undefined: none is noted. */
export function lastWriter(entries: readonly ManagedFieldsEntry[] = []): ManagedFieldsEntry | undefined {
  return entries.reduce<ManagedFieldsEntry | undefined>(
    (last, entry) => (last === undefined || (entry.time ?? '') >= (last.time ?? '') ? entry : last),
    undefined,
  );
}
