import type { JsonObject } from '@chandlery/api';
import type { HttpRequest } from '@chandlery/http';
import type { AuditedCall } from '../middleware/audit-trail.ts';
import type { Identity } from '../middleware/bearer.ts';
import { usernameOf } from '../middleware/claims.ts';
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
  body?: JsonObject;
}

/** What the audit trail keeps of a request. */
export function auditedCall({ request, path, identity, body }: Exchange, at: Date): AuditedCall {
  const username = identity?.type === 'operator' ? identity.username : identity && usernameOf(identity.claims);
  return {
    product: path.product,
    username: username ?? '',
    method: request.method,
    url: request.url,
    remoteAddress: request.ip,
    at: at.toISOString(),
    body,
  };
}
