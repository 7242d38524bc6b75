import {
  apiError,
  auditFields,
  badRequest,
  type FieldSelector,
  isError,
  type KubeObject,
  methodNotAllowed,
  notFound,
  parseFieldSelector,
} from '@chandlery/api';
import type { AuditEntry, AuditLog, AuditPage, PlacedAuditEntry } from '@chandlery/http';
import { serveObject, type Verb } from '@chandlery/kernel';
import { integerOf, type ResourceCall, timeOf, warn } from '../call.ts';
import { sendList, sendObject } from '../respond.ts';
import { revisionRequestOf } from './revisions.ts';

/** Where audit records are read. */
export interface AuditTrail extends Pick<AuditLog, 'read' | 'find'> {
  /** The name of this replica, when others have records of their own. */
  readonly replica?: string | undefined;
}

export const auditResource = 'audit.chandlery.io/auditrecords';

/** As many as the clients of Kubernetes ask for at once. */
const defaultLimit = 500;
const maxLimit = 1000;

/**
 * Responds with records of the audit log, the newest first. A list is the newest `limit` records that the field selector
 * selects between `from` and `to`; the metadata's `older` is a value for `before`, which continues with older ones. It is no
 * `continue`: clients that read all pages of a list by themselves would read the whole log.
 */
export async function handleAuditRecords(call: ResourceCall, verb: Verb, trail: AuditTrail | undefined): Promise<void> {
  if (trail === undefined || (verb !== 'get' && verb !== 'list')) throw methodNotAllowed();
  const { query, reply, target } = call;
  if (verb === 'get') {
    if (revisionRequestOf(query) !== undefined)
      throw apiError('MethodNotAllowed', 'audit records have no revisions: they never change');
    const found = await find(trail, target.name);
    if (found === undefined) throw notFound(target.resource.kind.groupResource, target.name);
    return sendObject(call, 200, serveObject(recordOf(call, found), 0));
  }
  const name = nameIn(query);
  if (name !== undefined) {
    const found = await find(trail, name);
    const items = found === undefined ? [] : [serveObject(recordOf(call, found), 0)];
    return sendList(call, { items, revision: 0, rest: undefined });
  }
  const page = await trail.read(queryOf(query));
  for (const warning of warningsOf(page, trail)) warn(reply, warning);
  const items = page.entries.map(placed => serveObject(recordOf(call, placed), 0));
  const { next, searchedTo, damagedLines } = page;
  await sendList(
    call,
    { items, revision: 0, rest: undefined },
    {
      ...(next !== undefined && { older: next }),
      ...(searchedTo !== undefined && { searchedTo }),
      ...(damagedLines > 0 && { damagedLines }),
      ...(trail.replica !== undefined && { replica: trail.replica }),
    },
  );
}

/** The record of a name; undefined also for what cannot be a name. */
async function find(trail: AuditTrail, name: string): Promise<PlacedAuditEntry | undefined> {
  try {
    return await trail.find(name);
  } catch (thrown) {
    if (isError(thrown, 'BadRequest')) return undefined;
    throw thrown;
  }
}

/** The one record that a list asks for, as `kubectl get NAME -w` and the console do. */
function nameIn(query: URLSearchParams): string | undefined {
  const { requirements } = parseFieldSelector(query.get('fieldSelector') ?? '');
  return requirements.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value;
}

function queryOf(query: URLSearchParams): Parameters<AuditTrail['read']>[0] {
  const limit = integerOf(query, 'limit') || defaultLimit;
  if (limit < 1 || limit > maxLimit) throw badRequest(`limit must be an integer from 1 to ${maxLimit}`);
  if (query.get('labelSelector')) throw badRequest('audit records have no labels: select them by fields');
  if (query.get('continue'))
    throw apiError('Expired', 'lists of audit records are continued with before, not continue');
  const selector = selectorOf(query.get('fieldSelector') ?? '');
  for (const name of ['search', 'state', 'sortBy'])
    if (query.get(name)) throw badRequest(`audit records are selected by fields and time, not by ${name}`);
  const [from, to] = [timeIn(query, 'from'), timeIn(query, 'to')];
  const before = query.get('before') || undefined;
  return {
    limit,
    matches: entry => matches(entry, selector),
    contains: containedBy(selector),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(before !== undefined && { before }),
  };
}

function timeIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? '';
  return text === '' ? undefined : new Date(timeOf(name, text)).toISOString();
}

type AuditField = (typeof auditFields)[number];

type FieldRequirements = readonly (Omit<FieldSelector['requirements'][number], 'path'> & {
  readonly field: AuditField;
})[];

/** Fields may be named without `spec`. */
function selectorOf(text: string): FieldRequirements {
  return parseFieldSelector(text).requirements.map(({ path, ...requirement }) => {
    const field = auditFields.find(name => name === path.replace(/^spec\./, ''));
    if (field === undefined)
      throw badRequest(`audit records cannot be selected by "${path}", but by ${auditFields.join(', ')}`);
    return { ...requirement, field };
  });
}

const matches = (entry: AuditEntry, selector: FieldRequirements): boolean =>
  selector.every(({ field, operator, value }) => (fieldOf(entry, field) === value) === (operator === '='));

const fieldOf = (entry: AuditEntry, field: AuditField): string =>
  field === 'outcome' ? outcomeOf(entry) : String(entry[field] ?? '');

const outcomeOf = ({ code }: AuditEntry): 'succeeded' | 'denied' | 'failed' =>
  code < 400 ? 'succeeded' : code === 401 || code === 403 ? 'denied' : 'failed';

/** The texts that are in the line of every record that is selected. */
const containedBy = (selector: FieldRequirements): readonly string[] =>
  selector
    .filter(({ field, operator, value }) => operator === '=' && value !== '' && field !== 'outcome')
    .map(({ field, value }) => `"${field}":${field === 'code' ? value : JSON.stringify(value)}`);

function recordOf({ target: { resource } }: ResourceCall, { position, entry }: PlacedAuditEntry): KubeObject {
  const { latencyMs, ...rest } = entry;
  return {
    apiVersion: resource.version.apiVersion,
    kind: resource.kind.kind,
    metadata: { name: position, creationTimestamp: entry.time },
    spec: { ...rest, outcome: outcomeOf(entry), latencyMs: Math.round(latencyMs) },
  };
}

function* warningsOf({ searchedTo, damagedLines }: AuditPage, { replica }: AuditTrail): Generator<string> {
  if (searchedTo !== undefined)
    yield `only the records since ${searchedTo} were searched: narrow the time by from and to, or continue with before`;
  if (damagedLines > 0) yield `${damagedLines} damaged lines of the audit log were left out`;
  if (replica !== undefined) yield `these are the records of replica ${replica}; others have their own`;
}
