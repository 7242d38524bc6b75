import { apiError, badRequest } from '@chandlery/api';
import type { HttpHost } from '@chandlery/http';
import type { ClusterAccess, ClusterKinds, Kernel, Target, UserInfo, WriteOptions } from '@chandlery/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EndpointKind, type Negotiated, negotiate } from './negotiate.ts';

/** One request to a logical cluster, with everything that is known about it. */
export interface Call {
  readonly kernel: Kernel;
  readonly host: Pick<HttpHost, 'sendPieces'>;
  readonly cluster: string;
  readonly kinds: ClusterKinds;
  readonly user: UserInfo;
  readonly access: ClusterAccess;
  readonly query: URLSearchParams;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly now: Date;
}

/** A call on a resource. */
export interface ResourceCall extends Call {
  readonly target: Target;
  readonly subresource: string;
}

export function representation({ request }: Pick<Call, 'request'>, endpoint: EndpointKind): Negotiated {
  const found = negotiate(request.headers.accept, endpoint);
  if (found === undefined) {
    throw apiError('NotAcceptable', 'only the following media types can be given: application/json, application/yaml');
  }
  return found;
}

/** The write options of a request: who, in which manager's name, how strict, whether for real. */
export function writeOptions(call: Call, decodingProblems: readonly string[] = []): WriteOptions {
  const { query, user, access, request, reply } = call;
  return {
    user,
    access,
    fieldManager: fieldManagerOf(query, request.headers['user-agent']),
    dryRun: isDryRun(query.getAll('dryRun')),
    fieldValidation: fieldValidationOf(query),
    decodingProblems,
    warn: text => warn(reply, text),
  };
}

/** Adds a warning that kubectl shows. */
export function warn(reply: FastifyReply, text: string): void {
  const present = reply.getHeader('warning');
  const all = Array.isArray(present) ? present : present === undefined ? [] : [String(present)];
  const quoted = text.replace(/[^\x20-\x7e]/g, ' ').replace(/[\\"]/g, '\\$&');
  reply.header('warning', [...all, `299 - "${quoted}"`]);
}

export function isDryRun(values: readonly string[]): boolean {
  for (const value of values)
    if (value !== 'All' && value !== '') throw badRequest(`dryRun "${value}" is not known; only All is`);
  return values.includes('All');
}

export function fieldValidationOf(query: URLSearchParams): 'Ignore' | 'Warn' | 'Strict' {
  const value = query.get('fieldValidation') ?? '';
  switch (value) {
    case '':
      return 'Warn';
    case 'Ignore':
    case 'Warn':
    case 'Strict':
      return value;
    default:
      throw badRequest(`fieldValidation "${value}" is not known; use Ignore, Warn or Strict`);
  }
}

function fieldManagerOf(query: URLSearchParams, userAgent: string | undefined): string {
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > 128 || !/^[\x20-\x7e]*$/.test(manager)) {
    throw badRequest('fieldManager must be at most 128 printable characters');
  }
  return manager === '' ? (userAgent ?? 'unknown').split('/', 1)[0]?.slice(0, 128) || 'unknown' : manager;
}

/** A query parameter that must be a whole number when it is there. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`${name} must be an integer, not "${text}"`);
  return Number(text);
}

/** A query parameter that must be a truth value when it is there. */
export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (['true', '1', 't', 'True', 'TRUE', 'T', ''].includes(text)) return true;
  if (['false', '0', 'f', 'False', 'FALSE', 'F'].includes(text)) return false;
  throw badRequest(`${name} must be true or false, not "${text}"`);
}
