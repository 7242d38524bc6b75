import { SmError, smError } from '../../errors.ts';

/** What a request is about. Ids are decoded. */
export type OsbRoute =
  | { readonly type: 'catalog' }
  | { readonly type: 'instance' | 'instance-poll'; readonly instanceId: string }
  | {
      readonly type: 'binding' | 'binding-poll' | 'adapt-credentials';
      readonly instanceId: string;
      readonly bindingId: string;
    };

/** A path under `/v1/osb/`, taken apart. */
export interface OsbTarget {
  readonly brokerId: string;
  /** What the broker is asked for: `/v2/…`, as it came, without the query. */
  readonly path: string;
  /** With its question mark, as it came; empty without one. */
  readonly query: string;
  /** Undefined when there is nothing under the path; an error when an id cannot be one. */
  readonly route: OsbRoute | SmError | undefined;
}

/** Below which everything here is. */
export const osbPrefix = '/v1/osb/';

/** The methods that a path has; none when there is nothing under it. */
export const allowedFor = ({ route }: OsbTarget): readonly string[] =>
  route === undefined || route instanceof SmError ? [] : methodsOf[route.type];

const methodsOf: Readonly<Record<OsbRoute['type'], readonly string[]>> = {
  catalog: ['GET'],
  instance: ['GET', 'PUT', 'PATCH', 'DELETE'],
  'instance-poll': ['GET'],
  binding: ['GET', 'PUT', 'DELETE'],
  'binding-poll': ['GET'],
  'adapt-credentials': ['POST'],
};

/** The operation of a request in the words of OSB, one of few; `other` for what is not served. */
export function operationOf({ route }: OsbTarget, method: string): string {
  if (route === undefined || route instanceof SmError) return 'other';
  return operations[route.type][method] ?? 'other';
}

const operations: Readonly<Record<OsbRoute['type'], Readonly<Record<string, string>>>> = {
  catalog: { GET: 'catalog' },
  instance: { GET: 'fetch_instance', PUT: 'provision', PATCH: 'update', DELETE: 'deprovision' },
  'instance-poll': { GET: 'poll_instance' },
  binding: { GET: 'fetch_binding', PUT: 'bind', DELETE: 'unbind' },
  'binding-poll': { GET: 'poll_binding' },
  'adapt-credentials': { POST: 'adapt_credentials' },
};

/** Longer ones are refused here, before a broker has taken them. */
const maxIdLength = 255;

/** Takes a URL apart that begins with {@link osbPrefix}. A slash at the end means nothing. */
export function parseOsbTarget(url: string): OsbTarget {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  const whole = url.slice(osbPrefix.length, url[end - 1] === '/' ? end - 1 : end);
  const slash = whole.indexOf('/');
  const path = slash < 0 ? '' : whole.slice(slash);
  const brokerId = decoded(slash < 0 ? whole : whole.slice(0, slash));
  return { brokerId: brokerId ?? '', path, query: url.slice(end), route: routeOf(path) };
}

const instancesPrefix = '/v2/service_instances/';

function routeOf(path: string): OsbRoute | SmError | undefined {
  if (path === '/v2/catalog') return { type: 'catalog' };
  if (!path.startsWith(instancesPrefix)) return undefined;
  const segments = path.slice(instancesPrefix.length).split('/');
  if (segments.length > 4) return undefined;
  const [rawInstance = '', next, rawBinding, last] = segments;
  const instanceId = idOf(rawInstance);
  if (instanceId === undefined) return badId();
  if (next === undefined) return { type: 'instance', instanceId };
  if (rawBinding === undefined) return next === 'last_operation' ? { type: 'instance-poll', instanceId } : undefined;
  return next === 'service_bindings' ? bindingRoute(instanceId, rawBinding, last) : undefined;
}

function bindingRoute(instanceId: string, raw: string, last: string | undefined): OsbRoute | SmError | undefined {
  const bindingId = idOf(raw);
  if (bindingId === undefined) return badId();
  if (last === undefined) return { type: 'binding', instanceId, bindingId };
  if (last === 'last_operation') return { type: 'binding-poll', instanceId, bindingId };
  return last === 'adapt_credentials' ? { type: 'adapt-credentials', instanceId, bindingId } : undefined;
}

/** An id as it is meant. Dots alone would lead elsewhere when the path is passed on. */
function idOf(segment: string): string | undefined {
  const id = decoded(segment);
  return id === '' || id === '.' || id === '..' || (id?.length ?? 0) > maxIdLength ? undefined : id;
}

function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const badId = (): SmError =>
  smError('BadRequest', `an id must be 1 to ${maxIdLength} characters, percent-encoded, and not dots alone`);
