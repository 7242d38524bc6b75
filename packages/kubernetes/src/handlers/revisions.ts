import { badRequest, isRecord, isSameJson, type KubeObject, type ManagedFieldsEntry } from '@chandlery/api';
import { lastWriter, type RevisionChoice, type ServedRevision } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import { integerOf, type ResourceCall, timeOf } from '../call.ts';
import { sendJson, sendObject } from '../respond.ts';

/**
 * Reads of the past of one object, by query parameters of a get that Kubernetes does not have: `revisions` lists the
 * versions, `revision=R` and `at=TIME` return one of them. The right to get the object is the right to read its past; that
 * of earlier objects of its name takes the right to get any name.
 */
export type RevisionRequest =
  | { readonly type: 'list'; readonly limit: number; readonly upTo: number | undefined }
  | { readonly type: 'one'; readonly choice: RevisionChoice };

const defaultLimit = 50;
const maxLimit = 100;
/** So many changed fields are named. */
const maxNamed = 8;

/** The request that a query makes; undefined for a get of the present. */
export function revisionRequestOf(query: URLSearchParams): RevisionRequest | undefined {
  if (query.has('revisions')) return { type: 'list', limit: limitOf(query), upTo: integerOf(query, 'continue') };
  const revision = integerOf(query, 'revision');
  if (revision !== undefined) return { type: 'one', choice: { revision } };
  const at = query.get('at');
  return at === null ? undefined : { type: 'one', choice: { atMs: timeOf('at', at) } };
}

function limitOf(query: URLSearchParams): number {
  const limit = integerOf(query, 'limit') || defaultLimit;
  if (limit < 1 || limit > maxLimit) throw badRequest(`limit must be an integer from 1 to ${maxLimit}`);
  return limit;
}

/** Responds with a version, or with the list of all. */
export async function sendRevisions(call: ResourceCall, request: RevisionRequest): Promise<void> {
  if (request.type === 'one') return sendObject(call, 200, await call.calls.revision(call, request.choice));
  const { items, next } = await call.calls.revisions(call, request);
  const pace = new Pace();
  const described: object[] = [];
  for (const [index, item] of items.entries()) {
    described.push(describe(item, items[index + 1]));
    if (pace.isDue) await pace.rest();
  }
  sendJson(call, 200, {
    apiVersion: 'history.chandlery.io/v1alpha1',
    kind: 'RevisionList',
    metadata: next === undefined ? {} : { continue: String(next) },
    items: described,
  });
}

function describe({ served, type, at, isCurrent }: ServedRevision, before: ServedRevision | undefined): object {
  const { metadata } = served.object;
  const changed =
    type === 'updated' && before?.served.object.metadata.uid === metadata.uid
      ? changedFields(before?.served.object, served.object)
      : undefined;
  const { manager, operation, subresource } = writerOf(served.object, before?.served.object, changed) ?? {};
  return {
    revision: String(served.revision),
    type,
    uid: metadata.uid,
    ...(metadata['generation'] === undefined ? {} : { generation: metadata['generation'] }),
    ...(at > 0 && { time: new Date(at).toISOString() }),
    ...(type !== 'deleted' && manager !== undefined && { manager, operation, ...(subresource && { subresource }) }),
    ...(changed && { changed: changed.slice(0, maxNamed), changedCount: changed.length }),
    ...(isCurrent && { isCurrent }),
  };
}

/**
 * Who has written a version. Undefined when the owners of fields do not say: what the landscape itself writes has none, and
 * the one who wrote before owns none of what has changed.
 */
export function writerOf(
  { metadata: { managedFields } }: KubeObject,
  before: KubeObject | undefined,
  changed: readonly string[] | undefined,
): ManagedFieldsEntry | undefined {
  const writer = lastWriter(managedFields);
  if (changed === undefined || !isSameJson(managedFields, before?.metadata.managedFields)) return writer;
  return changed.some(path => isOwned(writer?.fieldsV1, path)) ? writer : undefined;
}

/** Whether a path is among owned fields, or within one that is owned as a whole. Names of fields may hold points. */
function isOwned(fields: unknown, path: string): boolean {
  if (!isRecord(fields)) return false;
  return Object.entries(fields).some(([key, inner]) => {
    const name = key.replace(/^f:/, '');
    if (path === name) return true;
    if (!path.startsWith(`${name}.`)) return false;
    const isWhole = isRecord(inner) && Object.keys(inner).length === 0;
    return isWhole || isOwned(inner, path.slice(name.length + 1));
  });
}

/** What every write changes says nothing. */
const ignored = new Set(['metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation']);
/** Deeper fields are named by what they are in. */
const maxDepth = 4;

/** The paths of the fields that differ, in the order of the newer object. */
export function changedFields(before: KubeObject | undefined, after: KubeObject): readonly string[] {
  const paths: string[] = [];
  const compare = (old: unknown, now: unknown, path: string, depth: number): void => {
    if (ignored.has(path) || isSameJson(old, now)) return;
    if (depth === maxDepth || !isRecord(old) || !isRecord(now)) return void paths.push(path);
    for (const key of new Set([...Object.keys(now), ...Object.keys(old)]))
      compare(old[key], now[key], path === '' ? key : `${path}.${key}`, depth + 1);
  };
  compare(before ?? {}, after, '', 0);
  return paths;
}
