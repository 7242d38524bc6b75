import { Pace, type Steps } from '@chandlery/platform';
import { type QuotaHolder, type QuotaLine, quotaLines } from '../model/quota-lines.ts';
import { type InstanceRow, indexTerm } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';

/** Instances that are looked at between two steps. */
const stepLength = 1024;

/** Lists the quota of a product and what is used of it; undefined: of all organisations. Rejects with 7. */
export async function reportQuota(
  deps: ActionDeps,
  { product: id, organisation }: { readonly product: string; readonly organisation: string | undefined },
): Promise<readonly QuotaLine[]> {
  const { registry, clock } = deps;
  presentProduct(deps, id);
  const rows =
    organisation === undefined
      ? registry.instances.by('product', id)
      : registry.instances.by('organisation', indexTerm(id, organisation));
  const holders = await new Pace().run(distinctHolders([...rows]));
  const { configuration } = presentProduct(deps, id);
  const grants = [...registry.grants.by('product', id)];
  return quotaLines({ configuration, grants, holders, usage: registry.ledger, now: clock.now() }, organisation);
}

/** Returns whose quota is in use, each once. */
function* distinctHolders(rows: readonly InstanceRow[]): Steps<readonly QuotaHolder[]> {
  const holders = new Map<string, QuotaHolder>();
  for (const [at, { spec, status }] of rows.entries()) {
    const { organisation, owner } = spec;
    const { instanceType } = status;
    holders.set(indexTerm(organisation, owner, instanceType ?? ''), { organisation, owner, instanceType });
    if (at % stepLength === 0) yield;
  }
  return [...holders.values()];
}
