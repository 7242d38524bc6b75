import type { Service } from '../../kinds/index.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import { indexTerm, type ServiceRow } from '../../registry/orders-registry.ts';
import type { OrderDeps } from '../orders/order-deps.ts';

type Deps = Pick<OrderDeps, 'registry' | 'budget' | 'models'>;

/** Returns the check that a tenant may have one more service with a process. Throws `limit-exceeded`. */
export const verifyHosting =
  ({ registry, budget, models }: Deps) =>
  (spec: Service['spec'], tenant: string, id?: string): void => {
    if (models.hostingOf(controllerOf(spec)) === undefined) return;
    const replaced = id === undefined ? undefined : registry.services.get(id);
    if (replaced !== undefined && models.hostingOf(controllerOf(replaced.spec)) !== undefined) return;
    budget.checkProcesses(tenant, models.hostedSchemas());
  };

/** Returns a tenant's services with processes, the oldest first. */
export function hostedServices({ registry, models }: Pick<Deps, 'registry' | 'models'>, tenant: string): ServiceRow[] {
  const rows = models
    .hostedSchemas()
    .flatMap(schema => [...registry.services.by('tenantSchema', indexTerm(tenant, schema))]);
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyOf = ({ createdAt, id }: ServiceRow): string => `${createdAt} ${id}`;
