import { type QuotaLine, quotaLines } from '../model/quota-lines.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';

/** Lists the quota of a product and what is used of it; undefined: of all organisations. Throws 7. */
export function reportQuota(
  deps: ActionDeps,
  { product: id, organisation }: { readonly product: string; readonly organisation: string | undefined },
): readonly QuotaLine[] {
  const { registry, clock } = deps;
  const { configuration } = presentProduct(deps, id);
  const holders = [...registry.instances.by('product', id)].map(({ spec, status }) => ({
    organisation: spec.organisation,
    owner: spec.owner,
    instanceType: status.instanceType,
  }));
  const grants = [...registry.grants.by('product', id)];
  return quotaLines({ configuration, grants, holders, usage: registry.ledger, now: clock.now() }, organisation);
}
