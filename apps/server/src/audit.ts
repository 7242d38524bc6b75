import { randomUUID } from 'node:crypto';
import { type AuditEntry, AuditLog } from '@chandlery/http';
import type { InternalWrite } from '@chandlery/kernel';
import { auditLogTarget, type Logger, type ServerConfig, type Shutdown } from '@chandlery/platform';

/** Opens the audit log of the landscape. It is closed after everything that writes. */
export function openAuditLog(config: ServerConfig, logger: Logger, stopping: Shutdown): AuditLog {
  const audit = new AuditLog({ target: auditLogTarget(config), logger });
  stopping.add('audit log', () => audit.close());
  return audit;
}

/** The record of a write that the landscape made by itself, with what caused it. */
export const internalEntry = ({
  cluster,
  verb,
  group,
  version,
  resource,
  namespace,
  name,
  user,
  fieldManager,
  cause,
}: InternalWrite): AuditEntry => ({
  time: new Date().toISOString(),
  id: cause?.requestId ?? randomUUID(),
  user: user.username,
  groups: user.groups,
  sourceIp: '',
  userAgent: fieldManager,
  cluster,
  verb,
  group,
  version,
  resource,
  ...(namespace === '' ? {} : { namespace }),
  name,
  ...(cause === undefined ? {} : { cause }),
  code: verb === 'create' ? 201 : 200,
  latencyMs: 0,
});
