import type { JsonObject } from '@chandlery/api';
import type { HttpRequest } from '@chandlery/http';
import type { AuditedCall } from '../middleware/audit-trail.ts';
import type { Identity } from '../middleware/bearer.ts';
import { senderName } from '../middleware/claims.ts';
import type { Reply } from './http-reply.ts';
import type { FleetPath } from './match-route.ts';

/** A request on its way through the pipeline. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly reply: Reply;
  readonly path: FleetPath;
  readonly operationId: string;
  /** Filled when it is known. */
  identity?: Identity;
  /** An operator of the landscape, when it is known. */
  operator?: string;
  /** A report of an agent, of which there are many. */
  isReport?: boolean;
  body?: JsonObject;
}

/** Who sends a request; empty as long as it is not known. */
export function senderOf({ identity, operator }: Exchange): string {
  if (operator !== undefined) return operator;
  return (identity && senderName(identity)) ?? '';
}

/** What the audit trail keeps of a request. */
export function auditedCall(exchange: Exchange, at: Date): AuditedCall {
  const { request, path, body } = exchange;
  return {
    product: path.product,
    username: senderOf(exchange),
    method: request.method,
    url: request.url,
    remoteAddress: request.ip,
    at: at.toISOString(),
    body,
  };
}
