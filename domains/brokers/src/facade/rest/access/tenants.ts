import { smError } from '../../../errors.ts';
import { globalTenant } from '../../../kinds/index.ts';
import type { TableName } from '../../../model/rows.ts';
import type { Caller, UserCaller } from '../../../ports.ts';
import type { Call } from '../transport/route.ts';

/** What a user may read of the landscape itself: the catalogue. */
const catalogTables: ReadonlySet<TableName> = new Set<TableName>(['brokers', 'offerings', 'plans', 'visibilities']);

/** A kind of resource, for rights. */
interface Kind {
  readonly table: TableName;
  readonly plural: string;
}

/** The tenant that a request names, by the header `X-Chandlery-Tenant` or the query parameter `tenant`. */
export function namedTenant({ headers, query }: Pick<Call, 'headers' | 'query'>): string | undefined {
  const header = headers['x-chandlery-tenant'];
  const named = typeof header === 'string' ? header : query.get('tenant');
  return named === null || named === '' ? undefined : named;
}

/** The tenant in which something new is made. Throws when the caller must say which, or may not. */
export function tenantForCreation(call: Call, { plural }: Kind): string {
  const named = namedTenant(call);
  const { caller } = call;
  switch (caller.type) {
    case 'operator':
      return named ?? globalTenant;
    case 'user':
      return named === undefined ? onlyTenant(caller, plural) : permitted(caller, plural, named);
    case 'platform':
      throw unauthorized();
  }
}

function permitted(caller: UserCaller, plural: string, tenant: string): string {
  if (caller.may('create', plural, tenant)) return tenant;
  throw smError('Forbidden', `${caller.username} may not create ${plural} in the tenant ${tenant}`);
}

function onlyTenant(caller: UserCaller, plural: string): string {
  const tenants = caller.tenants(plural).filter(tenant => caller.may('create', plural, tenant));
  const [first, ...others] = tenants;
  if (first === undefined) throw smError('Forbidden', `${caller.username} may not create ${plural} in any tenant`);
  if (others.length === 0) return first;
  const names = [...tenants].sort();
  throw smError('BadRequest', `say in which tenant, by the header X-Chandlery-Tenant: ${names.join(', ')}`, {
    ids: names,
  });
}

/** Whether a list is about what can be ordered, and not about what there is. */
export const isAboutOrders = ({ query }: Pick<Call, 'query'>): boolean => query.get('orderable') === 'true';

/**
 * The tenants whose rows a list shows; undefined: all. Platforms are narrowed otherwise. What can be ordered in a tenant is
 * its own and the landscape's.
 */
export function listedTenants(call: Call, { table, plural }: Kind): readonly string[] | undefined {
  const named = namedTenant(call);
  const wanted = named === undefined ? undefined : [named, ...(isAboutOrders(call) ? [globalTenant] : [])];
  if (call.caller.type !== 'user') return wanted;
  const tenants = new Set(call.caller.tenants(plural));
  if (catalogTables.has(table)) tenants.add(globalTenant);
  return [...tenants].filter(tenant => wanted === undefined || wanted.includes(tenant));
}

/** Whether the caller may read a row of a tenant. */
export function mayRead(caller: Caller, { table, plural }: Kind, tenant: string): boolean {
  if (caller.type !== 'user') return true;
  return caller.may('get', plural, tenant) || (tenant === globalTenant && catalogTables.has(table));
}

/** Whether the caller may change (`update`) or delete (`delete`) a row of a tenant. */
export function mayChange(
  caller: Caller,
  verb: 'update' | 'delete',
  { plural, tenant }: { plural: string; tenant: string },
): boolean {
  if (caller.type === 'operator') return true;
  return caller.type === 'user' && caller.may(verb, plural, tenant);
}

/**
 * Whether the caller may see the secrets of a row: credentials and parameters. Read access is not enough, as with
 * Secrets; the right to create such rows is, because a new row would show the same.
 */
export function maySeeSecrets(caller: Caller, { plural, tenant }: { plural: string; tenant: string }): boolean {
  if (caller.type === 'operator') return true;
  return caller.type === 'user' && caller.may('create', plural, tenant);
}

/** The error for missing or insufficient credentials. */
export const unauthorized = () =>
  smError('Unauthorized', 'No authenticated user found: send credentials that hold for this request');
