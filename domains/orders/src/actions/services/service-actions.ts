import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import { OrdersError, recordNotFound } from '../../errors.ts';
import { type Service, siteHostKey } from '../../kinds/index.ts';
import { urnOf } from '../../model/urns.ts';
import { createRow, removeRow, type ServiceRow, updateRow } from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';
import { hostTaken } from '../sites/verify-site.ts';

type ServiceSpec = Service['spec'];

/**
 * Checks a service before it is stored; throws `invalid`. Models of execution check their controllers here. `id` is that of a
 * service that is replaced.
 */
export type VerifyService = (spec: ServiceSpec, tenant: string, id?: string) => Promise<void>;

type Deps = Pick<ActionDeps, 'registry' | 'budget'> & { readonly verifyService: VerifyService };

/** Use cases of services. */
export const serviceActions = (deps: Deps) => ({
  /** Creates a service. Throws `already-exists` for an id that is taken, by whomever. */
  create: async (actor: Actor, spec: ServiceSpec, id = deps.registry.newId()): Promise<ServiceRow> => {
    const { registry, budget, verifyService } = deps;
    budget.checkRecords(actor.tenant);
    await verifyService(spec, actor.tenant);
    try {
      await registry.commit([createRow({ table: 'services', id, tenant: actor.tenant, spec })]);
    } catch (error) {
      throw isError(error, 'AlreadyExists', 'UniqueViolation') ? (siteConflict(error) ?? alreadyExists(id)) : error;
    }
    return foundRow(deps, id);
  },

  /** Replaces a service. */
  replace: async ({ id, tenant }: ServiceRow, spec: ServiceSpec): Promise<ServiceRow> => {
    await deps.verifyService(spec, tenant, id);
    try {
      await commitAnew(deps.registry, () => [updateRow({ table: 'services', row: foundRow(deps, id), spec })]);
    } catch (error) {
      throw siteConflict(error) ?? error;
    }
    return foundRow(deps, id);
  },

  /** Removes a service. Orders of it stay. */
  remove: async ({ id }: ServiceRow): Promise<void> => {
    await commitAnew(deps.registry, () => {
      const row = deps.registry.services.get(id);
      return row === undefined ? [] : [removeRow('services', row)];
    });
  },
});

/** Returns the error of a commit that lost a host name to another site; undefined for all others. */
const siteConflict = (error: unknown): OrdersError | undefined =>
  isError(error, 'UniqueViolation') && error.details.kind === siteHostKey
    ? hostTaken(error.details.name ?? '')
    : undefined;

const alreadyExists = (id: string): OrdersError =>
  new OrdersError('already-exists', `There is a service ${urnOf('service', id)} already`, { id: urnOf('service', id) });

function foundRow({ registry }: Pick<Deps, 'registry'>, id: string): ServiceRow {
  const row = registry.services.get(id);
  if (row === undefined) throw recordNotFound(urnOf('service', id));
  return row;
}
