import { OrdersError } from '../../errors.ts';
import { parseUrn } from '../../model/urns.ts';
import { createRow, indexTerm, type OrdersRegistry, type OrdersWrite } from '../../registry/orders-registry.ts';

/** A collection, and what creates it when it is not there. */
export interface FoundCollection {
  readonly id: string;
  readonly writes: readonly OrdersWrite[];
}

/**
 * Finds the collection that a request names, by its URN or its name; one that is not there is created with the first of its
 * artifacts. Throws `forbidden` for a URN that is another tenant's.
 */
export function findCollection(registry: OrdersRegistry, tenant: string, reference: string): FoundCollection {
  const uuid = parseUrn('collection', reference);
  if (uuid === undefined) {
    const [named] = registry.collections.by('name', indexTerm(tenant, reference));
    return named === undefined
      ? newCollection(registry.newId(), tenant, { name: reference })
      : { id: named.id, writes: [] };
  }
  const row = registry.collections.get(uuid);
  if (row === undefined) return newCollection(uuid, tenant, {});
  if (row.tenant !== tenant)
    throw new OrdersError('forbidden', `The collection ${reference} cannot be used`, { id: reference });
  return { id: uuid, writes: [] };
}

const newCollection = (id: string, tenant: string, spec: { readonly name?: string }): FoundCollection => ({
  id,
  writes: [createRow({ table: 'collections', id, tenant, spec })],
});
