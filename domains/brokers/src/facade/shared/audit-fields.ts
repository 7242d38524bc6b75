import type { IncomingMessage } from 'node:http';
import { auditOfRequest } from '@chandlery/http';
import type { BrokerAudit, Caller } from '../../ports.ts';

interface AuditedRequest {
  /** Undefined when authentication failed or was not needed. */
  readonly caller: Caller | undefined;
  readonly startedAtMs: number;
}

/** The fields of an audit entry that follow from the request and its caller. Platforms belong to no groups. */
export function auditFields(
  request: IncomingMessage,
  { caller, startedAtMs }: AuditedRequest,
): Pick<BrokerAudit, 'user' | 'groups' | 'sourceIp' | 'userAgent' | 'path' | 'latencyMs'> {
  return {
    user: caller?.username ?? '',
    groups: caller === undefined || caller.type === 'platform' ? [] : (caller.groups ?? []),
    ...auditOfRequest(request, startedAtMs),
  };
}
