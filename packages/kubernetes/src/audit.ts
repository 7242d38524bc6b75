import type { AuditEntry } from '@chandlery/http';
import type { RequestAttributes, UserInfo } from '@chandlery/kernel';
import type { FastifyRequest } from 'fastify';
import { isDryRun } from './call.ts';
import { deleteOptionsOf } from './handlers/delete-options.ts';
import type { RequestPath } from './request-path.ts';

export interface AuditedRequest {
  readonly request: FastifyRequest;
  readonly cluster: string;
  /** Who is authenticated. */
  readonly authenticated: UserInfo;
  /** As whom the request was treated. */
  readonly user: UserInfo;
  readonly attributes: RequestAttributes;
  readonly parsed: RequestPath;
  readonly query: URLSearchParams;
  /** The name that a creation brings in its body. */
  readonly audited: { readonly name?: string };
  readonly startedAt: number;
  readonly code: number;
  readonly reason?: string;
}

const readVerbs = new Set(['get', 'list', 'watch']);

/** The audit record of a write, also of one that was rejected; undefined for reads and for questions. */
export function auditEntry(audited: AuditedRequest): AuditEntry | undefined {
  const { request, authenticated, user, attributes, parsed } = audited;
  if (parsed.type !== 'resource' || readVerbs.has(attributes.verb) || isQuestion(parsed.group)) return undefined;
  const { group, version, plural, subresource, namespace, name = audited.audited.name } = parsed;
  return {
    time: new Date().toISOString(),
    id: request.id,
    user: user.username,
    groups: user.groups,
    ...(authenticated === user ? {} : { impersonator: authenticated.username }),
    sourceIp: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    cluster: audited.cluster,
    verb: attributes.verb,
    group,
    version,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(isDry(audited) ? { dryRun: true } : {}),
    code: audited.code,
    ...(audited.reason === undefined ? {} : { reason: audited.reason }),
    latencyMs: Math.round((performance.now() - audited.startedAt) * 100) / 100,
  };
}

/** Whether nothing was to be kept. Deletions say so in their body, too; of a request that makes no sense nothing was kept anyway. */
function isDry({ attributes, query, request }: AuditedRequest): boolean {
  try {
    if (attributes.verb.startsWith('delete')) return deleteOptionsOf({ query, request }).isDryRun;
    return isDryRun(query.getAll('dryRun'), '');
  } catch {
    return false;
  }
}

const questions = new Set(['authorization.k8s.io', 'authentication.k8s.io', 'search.chandlery.io']);

const isQuestion = (group: string): boolean => questions.has(group);
