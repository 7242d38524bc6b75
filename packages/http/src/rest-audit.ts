import type { IncomingMessage } from 'node:http';

/** A request to a REST API that may have changed something, as its API reports it for the audit log. */
export interface RestAudit {
  /** Empty when authentication failed. */
  readonly user: string;
  readonly groups: readonly string[];
  /** The address of the peer; empty when the connection closed before the entry was written. */
  readonly sourceIp: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly path: string;
  readonly status: number;
  /** Also in the response, and in the entries of what was written because of the request. */
  readonly correlationId: string;
  /** From the arrival of the request to its response. */
  readonly latencyMs: number;
}

const verbs: Readonly<Record<string, string>> = { PUT: 'update', PATCH: 'update', DELETE: 'delete', POST: 'create' };

/** The verb of a method in the audit log; undefined for methods that only read. */
export const auditVerbOf = (method: string): string | undefined => verbs[method];

/** The part of an entry that follows from the request. `startedAtMs`: of `performance.now`. */
export const auditOfRequest = (
  { headers, socket, url = '' }: Pick<IncomingMessage, 'headers' | 'socket' | 'url'>,
  startedAtMs: number,
): Pick<RestAudit, 'sourceIp' | 'userAgent' | 'path' | 'latencyMs'> => ({
  sourceIp: socket.remoteAddress ?? '',
  userAgent: headers['user-agent'] ?? '',
  path: url.split('?', 1)[0] as string,
  latencyMs: Math.round((performance.now() - startedAtMs) * 100) / 100,
});
