import { OrdersError } from '../../errors.ts';
import { defaultTenant } from '../../kinds/index.ts';
import type { Scope } from '../handlers/call.ts';
import type { RouteAccess } from '../handlers/route-access.ts';
import type { Caller } from './caller.ts';

/**
 * Returns whose records a caller may touch by a route. A service account belongs to its namespace, a user to those where a
 * role allows the verb; an operator reads and changes all, and creates in `default`. `requested` is the namespace that the
 * client names, if any. Throws `forbidden`.
 */
export function scopeOf(caller: Caller, access: RouteAccess, requested: string | undefined): Scope {
  if (caller.isOperator)
    return { tenants: requested === undefined ? 'all' : [requested], home: requested ?? defaultTenant };
  const candidates = candidatesOf(caller, requested);
  const tenants = candidates.filter(namespace => caller.may(access.verb, access.resource, namespace));
  const chosen = requested === undefined ? tenants : tenants.filter(namespace => namespace === requested);
  if (chosen.length === 0) throw forbidden(caller, access, requested);
  return { tenants: chosen, home: chosen.length === 1 ? chosen[0] : undefined };
}

/** Rights that hold everywhere are not among the namespaces of a user, who then has to name one. */
function candidatesOf({ ownNamespace, namespaces }: Caller, requested: string | undefined): readonly string[] {
  if (ownNamespace !== undefined) return [ownNamespace];
  return requested === undefined ? namespaces() : [requested];
}

const forbidden = ({ username }: Caller, { verb, resource }: RouteAccess, namespace: string | undefined): OrdersError =>
  new OrdersError(
    'forbidden',
    `${username} may not ${verb} ${resource} ${namespace === undefined ? 'in any namespace' : `in namespace ${namespace}`}; a RoleBinding to ClusterRole orders-consumer allows it`,
  );
