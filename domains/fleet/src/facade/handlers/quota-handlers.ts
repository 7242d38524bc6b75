import { type FleetResponse, ok, type UserCall } from './call.ts';
import type { HandlerDeps } from './facade-deps.ts';
import { listEnvelope } from './lists/paging.ts';
import { presentQuota } from './present-quota.ts';

/** Handlers of what an organisation may still order. */
export const quotaHandlers = ({ operatorActions }: Pick<HandlerDeps, 'operatorActions'>) => ({
  /** The lines of the caller's organisation, as operators see them. */
  list: async ({ product, caller: { organisation } }: UserCall): Promise<FleetResponse> => {
    const { id } = product.row;
    const lines = await operatorActions.reportQuota({ product: id, organisation });
    const items = lines.map(line => presentQuota(id, line));
    return ok(listEnvelope('QuotaList', { page: 1, total: items.length, items }));
  },
});
