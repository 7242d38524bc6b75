import { fleetError } from '../errors.ts';
import { claimQuota, entitlementOf, type QuotaClaim, trialType } from '../model/quota.ts';
import { parseUnit, type UnitUsage } from '../model/scopes.ts';
import { type ConfiguredProduct, type InstanceRow, indexTerm, updateRow } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct, quotaContext } from './action-deps.ts';
import { commitOrder, type OrderPlan } from './commit-order.ts';
import type { FleetCaller } from './fleet-actions.ts';

/** Who gives which instance to whom. */
export interface OwnerChange {
  readonly caller: FleetCaller;
  readonly id: string;
  /** Undefined: nothing changes. */
  readonly owner: string | undefined;
}

/**
 * Gives an instance to another user of the organisation, with the quota that it takes. Throws 7 for an instance of another
 * organisation, 11 for a caller who is neither owner nor administrator, 21 for an owner who is not known in the
 * organisation, 24 and 5 when the new owner has no quota left.
 */
export async function changeOwner(
  deps: ActionDeps,
  product: ConfiguredProduct,
  change: OwnerChange,
): Promise<InstanceRow> {
  await commitOrder(deps, usage => planChange(deps, presentProduct(deps, product.row.id), { change, usage }));
  return readableInstance(deps, product, change);
}

function planChange(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { change, usage }: { readonly change: OwnerChange; readonly usage: UnitUsage },
): OrderPlan {
  const row = readableInstance(deps, product, change);
  const { caller, owner } = change;
  if (row.spec.owner !== caller.username && !caller.isOrganisationAdmin) throw fleetError(11);
  if (owner === undefined || owner === row.spec.owner) return { demands: [], writes: () => [] };
  checkIsKnown(deps, product, { owner, organisation: caller.organisation });
  const claim = claimOfNewOwner(deps, product, { row, owner, usage });
  const scopes = new Set(claim?.demands.map(({ scope }) => scope));
  const kept = (row.status.holds ?? []).filter(hold => isKept(hold, claim && scopes));
  const held = new Set(kept.map(hold => parseUnit(hold)?.scope));
  return {
    demands: (claim?.demands ?? []).filter(({ scope }) => !held.has(scope)),
    writes: holds => [
      updateRow({
        table: 'instances',
        row,
        spec: { ...row.spec, owner },
        status: {
          ...row.status,
          holds: [...kept, ...holds],
          ...(claim === undefined ? {} : { quotaScope: claim.scope, quotaUnits: claim.units }),
        },
      }),
    ],
  };
}

function readableInstance(
  { registry }: ActionDeps,
  product: ConfiguredProduct,
  { caller, id }: Pick<OwnerChange, 'caller' | 'id'>,
): InstanceRow {
  const row = registry.instances.get(id);
  if (row?.spec.product !== product.row.id || row.spec.organisation !== caller.organisation)
    throw fleetError(7, `There is no instance "${id}"`);
  return row;
}

function checkIsKnown(
  { registry, clock }: ActionDeps,
  product: ConfiguredProduct,
  { owner, organisation }: { readonly owner: string; readonly organisation: string },
): void {
  if (owner.trim() === '') throw fleetError(21, 'owner must not be blank');
  if (registry.users.count('user', indexTerm(organisation, owner)) > 0) return;
  const { quota } = product.configuration;
  const { grants } = quotaContext({ registry, clock }, product, { username: owner, organisation });
  const isNamed =
    quota.organisations.get(organisation)?.users.has(owner) ||
    quota.serviceAccounts.has(owner) ||
    grants.some(grant => grant.account === owner || grant.users?.includes(owner));
  if (!isNamed) throw fleetError(21, `User ${owner} does not belong to your organization`);
}

/** What the instance takes of the new owner's quota; undefined: it stays counted where it is. */
function claimOfNewOwner(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { row, owner, usage }: { readonly row: InstanceRow; readonly owner: string; readonly usage: UnitUsage },
): QuotaClaim | undefined {
  const { instanceType, sizeId } = row.status;
  const subject = { username: owner, organisation: row.spec.organisation };
  const context = quotaContext(deps, product, subject);
  const size = product.configuration.instanceTypes.get(instanceType ?? '')?.sizes.get(sizeId ?? '');
  const isRegistered = entitlementOf(subject, context).type !== 'none';
  if (instanceType === undefined || size === undefined || isRegistered === (instanceType === trialType))
    return undefined;
  return claimQuota({ ...subject, instanceType, size }, context, usageWithout(row, usage));
}

/** Usage as if the instance held no quota: units that it has already are not needed twice. */
const usageWithout = ({ status }: InstanceRow, usage: UnitUsage): UnitUsage => ({
  used: scope => usage.used(scope) - (scope === status.quotaScope ? (status.quotaUnits ?? 0) : 0),
});

/** Units of capacity stay; units of quota only where the new owner's are counted in the same scope. */
function isKept(hold: string, scopes: ReadonlySet<string> | undefined): boolean {
  if (scopes === undefined || !/^(quota|trial)\//.test(hold)) return true;
  return scopes.has(parseUnit(hold)?.scope ?? '');
}
