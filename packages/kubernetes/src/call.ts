import { apiError, type BodyLimits, badRequest, fieldCause, invalidOptions } from '@chandlery/api';
import type { HttpHost } from '@chandlery/http';
import {
  type CallOptions,
  type Calls,
  type ClusterAccess,
  type ClusterKinds,
  fieldManagerCause,
  fieldManagerOfAgent,
  type Kernel,
  type Target,
  type UserInfo,
  type View,
  type Visibility,
} from '@chandlery/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EndpointKind, type Negotiated, negotiate } from './negotiate.ts';
import type { Turns } from './turns.ts';
import type { YamlDecoder } from './yaml/yaml-decoder.ts';

/** One authorised request to a logical cluster. */
export interface Call {
  readonly kernel: Kernel;
  /** The user's calls on the logical cluster that holds the objects. */
  readonly calls: Calls;
  readonly host: Pick<HttpHost, 'sendPieces' | 'stopping'>;
  readonly cluster: string;
  /** The logical cluster that holds the objects: `cluster` itself, or the base of a view. */
  readonly home: string;
  /** Undefined: the logical cluster holds its objects itself. */
  readonly view: View | undefined;
  /** The part of the collection that the user sees. Undefined: all of it. */
  readonly visibility: Visibility | undefined;
  readonly kinds: ClusterKinds;
  readonly user: UserInfo;
  readonly access: ClusterAccess;
  readonly query: URLSearchParams;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly now: Date;
  readonly yaml: YamlDecoder;
  /** Undefined: the limits of all requests. */
  readonly bodyLimits: BodyLimits | undefined;
  /** The identity whose budgets the request counts against. */
  readonly sender: string;
  readonly turns: Turns;
  /** What the audit log gets besides what the path says: the name that a creation brings in its body. */
  readonly audited: { name?: string };
}

/** A call on a resource. */
export interface ResourceCall extends Call {
  readonly target: Target;
  readonly subresource: string;
}

/** Does work that looks at many objects when it is the sender's turn, and not for a client that has disconnected. */
export const inTurn = <T>({ turns, sender, reply }: Pick<Call, 'turns' | 'sender' | 'reply'>, work: () => Promise<T>) =>
  turns.run(sender, (): Promise<T> => {
    if (reply.raw.destroyed) throw apiError('Timeout', 'the client has disconnected');
    return work();
  });

export function representation({ request }: Pick<Call, 'request'>, endpoint: EndpointKind): Negotiated {
  const found = negotiate(request.headers.accept, endpoint);
  if (found === undefined) {
    throw apiError('NotAcceptable', 'only the following media types can be served: application/json, application/yaml');
  }
  return found;
}

/** The options of a write: field manager, field validation, dry run, and where its warnings go. */
export function writeOptions(call: Call, decodingProblems: readonly string[] = []): CallOptions {
  const { query, request, reply } = call;
  return {
    fieldManager: fieldManagerOf(call, request.headers['user-agent']),
    dryRun: isDryRun(query.getAll('dryRun'), optionsOf(request)),
    fieldValidation: fieldValidationOf(call),
    decodingProblems,
    warn: text => warn(reply, text),
  };
}

/** Adds a warning that kubectl shows. Repeated attempts of a write add it once. */
export function warn(reply: FastifyReply, text: string): void {
  const present = reply.getHeader('warning');
  const all = Array.isArray(present) ? present : present === undefined ? [] : [String(present)];
  const quoted = text.replace(/[^\x20-\x7e]/g, ' ').replace(/[\\"]/g, '\\$&');
  const entry = `299 - "${quoted}"`;
  if (!all.includes(entry)) reply.header('warning', [...all, entry]);
}

/** The name of the options that a request of a method has, as Kubernetes calls them in its errors. */
export const optionsOf = ({ method }: Pick<FastifyRequest, 'method'>): string =>
  ({ POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions', DELETE: 'DeleteOptions' })[method] ??
  'GetOptions';

export function isDryRun(values: readonly string[], options: string): boolean {
  for (const value of values)
    if (value !== 'All' && value !== '')
      throw invalidOptions(options, fieldCause.notSupported('dryRun', value, ['All']));
  return values.includes('All');
}

const fieldValidations = ['Ignore', 'Warn', 'Strict'] as const;

export function fieldValidationOf({ query, request }: Pick<Call, 'query' | 'request'>): 'Ignore' | 'Warn' | 'Strict' {
  const value = query.get('fieldValidation') ?? '';
  if (value === '') return 'Warn';
  const known = fieldValidations.find(name => name === value);
  if (known !== undefined) return known;
  throw invalidOptions(optionsOf(request), fieldCause.notSupported('fieldValidation', value, fieldValidations));
}

function fieldManagerOf({ query, request }: Call, userAgent: string | undefined): string {
  const manager = query.get('fieldManager') ?? '';
  const cause = fieldManagerCause(manager);
  if (cause !== undefined) throw invalidOptions(optionsOf(request), cause);
  return manager === '' ? fieldManagerOfAgent(userAgent) : manager;
}

/** A query parameter that must be a whole number when it is there. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`${name} must be an integer, not "${text}"`);
  return Number(text);
}

/** The time, in milliseconds, that the text of a query parameter names. */
export function timeOf(name: string, text: string): number {
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw badRequest(`${name} must be a time such as 2026-11-19T08:30:00Z, not "${text}"`);
  return time;
}

/** A truth value of the query. As in Kubernetes, anything but `false` and `0` is true. */
export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : !['false', '0'].includes(text.toLowerCase());
}
