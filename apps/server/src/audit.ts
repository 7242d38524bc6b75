import { randomUUID } from 'node:crypto';
import { type AuditEntry, AuditLog, type RestAudit } from '@chandlery/http';
import type { InternalWrite } from '@chandlery/kernel';
import { auditLogTarget, type Logger, type ServerConfig, type Shutdown } from '@chandlery/platform';

/** Opens the audit log of the landscape. It is closed after everything that writes. */
export function openAuditLog(config: ServerConfig, logger: Logger, stopping: Shutdown): AuditLog {
  const audit = new AuditLog({ target: auditLogTarget(config), logger });
  stopping.add('audit log', () => audit.close());
  return audit;
}

/** What the entries of a REST API have in common. */
export interface RestApi extends Pick<AuditEntry, 'cluster' | 'group' | 'version'> {
  /** What precedes the collection in a path. */
  readonly prefix: RegExp;
}

/** The record of a request to a REST API. */
export const restEntry = (
  { prefix, ...api }: RestApi,
  { path, status, correlationId, ...entry }: RestAudit,
): AuditEntry => ({
  ...entry,
  ...api,
  ...addressOf(path.replace(prefix, '')),
  path,
  time: new Date().toISOString(),
  id: correlationId,
  code: status,
});

/** `orders/o1/logs` is the sub-resource `logs` of the order `o1`. */
function addressOf(path: string): Pick<AuditEntry, 'resource' | 'name' | 'subresource'> {
  const [resource = '', name, ...inner] = path.split('/').filter(segment => segment !== '');
  return {
    resource,
    ...(name === undefined ? {} : { name }),
    ...(inner.length === 0 ? {} : { subresource: inner.join('/') }),
  };
}

/** The user in whose name the landscape writes by itself: whom it serves, or the controller that it is. */
const authorOf = ({ user, cause }: InternalWrite): string => {
  if (cause === undefined) return user.username;
  const { user: served = '', component } = cause;
  return served === '' ? `${user.username}:${component}` : served;
};

/** The record of a write that the landscape made by itself, with what caused it. */
export function internalEntry(write: InternalWrite): AuditEntry {
  const { cluster, verb, group, version, resource, namespace, name, user, fieldManager, cause } = write;
  return {
    time: new Date().toISOString(),
    id: cause?.requestId ?? randomUUID(),
    user: authorOf(write),
    groups: cause?.user === undefined || cause.user === '' ? user.groups : [],
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
  };
}
