import {
  apiError,
  badRequest,
  type ChandleryError,
  fieldCause,
  invalidOptions,
  isError,
  notFound,
} from '@chandlery/api';
import { decodeValue, peekLabels } from '../codec/stored-value.ts';
import type { ListQuery, ObjectKey, StoredObject } from '../store/store.ts';
import { readParts } from './read-parts.ts';
import { keyOfTarget, type ResourceDeps, type Target } from './request.ts';
import { type Selection, type SelectorTexts, selectObjects } from './selection.ts';
import { type Served, serveStored } from './served.ts';

export interface ListRequest extends SelectorTexts {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

export interface ListResult {
  readonly items: readonly Served[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

/** One object as it is now. */
export async function getObject(deps: ResourceDeps, target: Target, resourceVersion = ''): Promise<Served> {
  await waitForRevision(deps, resourceVersion);
  const stored = await deps.store.get(keyOfTarget(target));
  if (stored === undefined) throw notFound(target.resource.kind.groupResource, target.name);
  return serveStored(target.resource, deps.codec, stored);
}

/** A collection, or the part of it that was asked for, in pieces that are read when they are needed. */
export interface OpenList extends Omit<ListResult, 'items'> {
  /** The first piece. */
  readonly items: readonly Served[];
  /** The pieces after it, of the same revision; undefined when there are none. To be read once. */
  readonly rest: AsyncIterable<readonly Served[]> | undefined;
}

/** The size of the pieces of a list without a limit. */
const pieceBytes = 1024 * 1024;
const piece = { maxBytes: pieceBytes, isCounted: false };
/** A page that a client asked for ends early, with a `continue`, when it would become larger. */
const maxPageBytes = 4 * 1024 * 1024;

/**
 * Begins to read a collection: one page when the client limits it, otherwise all of it, piece by piece. Later pieces
 * fail with `Expired` when they are asked for after history has been compacted beyond the list's revision.
 */
export async function openList(deps: ResourceDeps, target: Target, request: ListRequest): Promise<OpenList> {
  const isLimited = request.limit !== undefined && request.limit > 0;
  if (isLimited) return { ...(await readList(deps, target, request, { maxBytes: maxPageBytes })), rest: undefined };
  const { continue: next, ...first } = await readList(deps, target, request, piece);
  return { ...first, rest: next === undefined ? undefined : readRest(deps, target, request, next) };
}

async function* readRest(
  deps: ResourceDeps,
  target: Target,
  request: ListRequest,
  token: string,
): AsyncGenerator<readonly Served[]> {
  for (let next: string | undefined = token; next !== undefined; ) {
    const page: ListResult = await readList(deps, target, { ...selectorsOf(request), continue: next }, piece);
    yield page.items;
    next = page.continue;
  }
}

/** The selectors of a request alone: what follows a first page has its own idea of where and when. */
const selectorsOf = ({ labelSelector, fieldSelector }: ListRequest): ListRequest => ({
  ...(labelSelector && { labelSelector }),
  ...(fieldSelector && { fieldSelector }),
});

/** The keys of a collection, in pieces that are read when they are needed. */
export interface OpenKeys {
  readonly revision: number;
  readonly pieces: AsyncIterable<readonly ObjectKey[]>;
}

/** Begins to read the keys of all that a request selects, whatever its limit, in the state of the first piece. */
export async function openKeys(deps: ResourceDeps, target: Target, request: ListRequest): Promise<OpenKeys> {
  const { limit: _, ...unlimited } = request;
  const first = await readStored(deps, target, unlimited, piece);
  return { revision: first.revision, pieces: readKeys(deps, target, unlimited, first) };
}

async function* readKeys(
  deps: ResourceDeps,
  target: Target,
  request: ListRequest,
  first: StoredPage,
): AsyncGenerator<readonly ObjectKey[]> {
  for (let page = first; ; ) {
    yield page.items.map(({ key }) => key);
    if (page.continue === undefined) return;
    page = await readStored(deps, target, { ...selectorsOf(request), continue: page.continue }, piece);
  }
}

/** A page of a collection. Pages that follow by `continue` show the state of the first. */
export function listObjects(deps: ResourceDeps, target: Target, request: ListRequest): Promise<ListResult> {
  return readList(deps, target, request, {});
}

type PageSize = Pick<ListQuery, 'maxBytes' | 'isCounted'>;

async function readList(deps: ResourceDeps, target: Target, request: ListRequest, size: PageSize): Promise<ListResult> {
  const page = await readStored(deps, target, request, size);
  return { ...page, items: page.items.map(stored => serveStored(target.resource, deps.codec, stored)) };
}

interface StoredPage extends Omit<ListResult, 'items'> {
  readonly items: readonly StoredObject[];
}

async function readStored(
  deps: ResourceDeps,
  target: Target,
  request: ListRequest,
  size: PageSize,
): Promise<StoredPage> {
  const selection = selectObjects(target, request);
  const start = startOf(request);
  await waitForRevision(deps, start.notOlderThan);
  const limit = request.limit === undefined || request.limit <= 0 ? undefined : request.limit;
  try {
    const page = await readPage(deps, target, selection, { ...start, ...size, limit });
    const last = page.items.at(-1);
    const isCut = page.more && last !== undefined;
    return {
      items: page.items,
      revision: page.revision,
      ...(isCut ? { continue: encodeToken({ revision: page.revision, key: last.key }) } : {}),
      ...(isCut && page.remaining !== undefined ? { remaining: page.remaining } : {}),
    };
  } catch (error) {
    throw isError(error, 'Compacted')
      ? expired(start.after)
      : isError(error, 'FutureRevision')
        ? tooLarge(error)
        : error;
  }
}

type PageRequest = Pick<ListQuery, 'at' | 'after' | 'limit' | 'maxBytes' | 'isCounted'>;

async function readPage(deps: ResourceDeps, target: Target, selection: Selection, page: PageRequest) {
  const { matches } = selection;
  if (target.visibility !== undefined) return readVisible(deps, target, selection, page);
  if (selection.name !== undefined && selection.namespace !== undefined && page.at === undefined) {
    return readOne(deps, target, selection);
  }
  const isNamed = (object: StoredObject): boolean => selection.name === undefined || object.key.name === selection.name;
  const filter = (stored: StoredObject): boolean => isNamed(stored) && isSelected(deps, selection, stored);
  return deps.store.list({
    cluster: target.cluster,
    resource: target.resource.kind.stored.resource,
    ...(selection.namespace === undefined ? {} : { namespace: selection.namespace }),
    ...(selection.terms.length === 0 ? {} : { terms: selection.terms }),
    ...(matches === undefined && selection.name === undefined ? {} : { filter }),
    ...page,
  });
}

/** Without a revision of its own, a list shows that of the visibility: a watch from there misses no change of it. */
function readVisible(deps: ResourceDeps, target: Target, selection: Selection, page: PageRequest) {
  const { parts, revision } = target.visibility ?? { parts: [], revision: 0 };
  const { namespace, name, terms, matches } = selection;
  return readParts(deps, {
    cluster: target.cluster,
    resource: target.resource.kind.stored.resource,
    parts,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(terms.length === 0 ? {} : { terms }),
    ...(matches === undefined ? {} : { filter: (stored: StoredObject) => isSelected(deps, selection, stored) }),
    ...page,
    at: page.at ?? revision,
  });
}

/** Whether selectors let an object through; its labels are enough for most of them. */
function isSelected(deps: ResourceDeps, { matches, matchesLabels }: Selection, stored: StoredObject): boolean {
  if (matches === undefined) return true;
  const plain = deps.codec.open(stored.key, stored.value);
  const labels = matchesLabels === undefined ? undefined : peekLabels(plain);
  return labels === undefined || matchesLabels === undefined
    ? matches(decodeValue(plain, stored.revision))
    : matchesLabels(labels);
}

async function readOne(deps: ResourceDeps, target: Target, selection: Selection) {
  const { namespace, name } = selection;
  const revision = await deps.store.currentRevision();
  const stored = await deps.store.get(keyOfTarget({ ...target, namespace: namespace ?? '', name: name ?? '' }));
  const isIn = stored !== undefined && isSelected(deps, selection, stored);
  return {
    items: isIn ? [stored] : [],
    revision: Math.max(revision, isIn ? stored.revision : 0),
    more: false,
    remaining: undefined,
  };
}

interface Start extends PageRequest {
  readonly notOlderThan: string;
}

/** Where and when a list starts, by Kubernetes' rules for resourceVersion and continue. */
function startOf({ resourceVersion = '', resourceVersionMatch = '', limit, continue: token }: ListRequest): Start {
  if (token !== undefined && token !== '') {
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw invalidOptions(
        'ListOptions',
        fieldCause.invalid(
          'resourceVersion',
          resourceVersion,
          'specifying resource version is not allowed when using continue',
        ),
      );
    const { revision, key } = decodeToken(token);
    return { after: key, notOlderThan: '', ...(revision < 0 ? {} : { at: revision }) };
  }
  if (resourceVersionMatch !== '' && resourceVersion === '') {
    throw matchForbidden('resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  switch (resourceVersionMatch) {
    case 'Exact':
      if (resourceVersion === '0')
        throw matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
      return { at: parseRevision(resourceVersion), notOlderThan: '' };
    case '':
    case 'NotOlderThan': {
      const isLegacyExact =
        resourceVersionMatch === '' && (limit ?? 0) > 0 && resourceVersion !== '' && resourceVersion !== '0';
      return isLegacyExact
        ? { at: parseRevision(resourceVersion), notOlderThan: '' }
        : { notOlderThan: resourceVersion };
    }
    default:
      throw invalidOptions(
        'ListOptions',
        fieldCause.notSupported('resourceVersionMatch', resourceVersionMatch, ['Exact', 'NotOlderThan', '']),
      );
  }
}

/** A resourceVersionMatch that does not go with the other options of a list or watch. */
export const matchForbidden = (detail: string): Error =>
  invalidOptions('ListOptions', fieldCause.forbidden('resourceVersionMatch', detail));

export function parseRevision(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`invalid resource version "${text}"`);
  return Number(text);
}

const timeoutMs = 3000;

/** Waits a little for a revision that this process has not seen yet. */
export async function waitForRevision(deps: ResourceDeps, text: string): Promise<void> {
  if (text === '' || text === '0') return;
  const wanted = parseRevision(text);
  if (wanted <= deps.feed.position || wanted <= (await deps.store.currentRevision())) return;
  if (!(await deps.feed.reachedWithin(wanted, timeoutMs))) throw tooLarge();
}

const tooLarge = (cause?: unknown): ChandleryError =>
  apiError(
    'Timeout',
    'Too large resource version: the server has not seen it yet',
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    cause,
  );

interface Token {
  /** Negative: whatever is current. */
  readonly revision: number;
  readonly key: Pick<ObjectKey, 'cluster' | 'namespace' | 'name'>;
}

const encodeToken = ({ revision, key }: Token): string =>
  Buffer.from(JSON.stringify([1, revision, key.cluster, key.namespace, key.name])).toString('base64url');

function decodeToken(text: string): Token {
  try {
    const [format, revision, cluster, namespace, name] = JSON.parse(
      Buffer.from(text, 'base64url').toString(),
    ) as unknown[];
    if (
      format === 1 &&
      Number.isSafeInteger(revision) &&
      [cluster, namespace, name].every(part => typeof part === 'string')
    ) {
      return { revision, key: { cluster, namespace, name } } as Token;
    }
  } catch {
    // Falls through to the one error for every malformed token.
  }
  throw badRequest('continue key is not valid');
}

/** The snapshot is compacted. The client may continue at the same key in the present state, if that is acceptable. */
function expired(after: ListQuery['after']): ChandleryError {
  const message =
    after === undefined
      ? 'The resourceVersion for the provided list is too old.'
      : 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return apiError(
    'Expired',
    message,
    after === undefined ? {} : { continueToken: encodeToken({ revision: -1, key: after }) },
  );
}
