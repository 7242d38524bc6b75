import { isError } from '@chandlery/api';
import { FleetError, fleetError } from '../errors.ts';
import type { Demand, UnitUsage } from '../model/scopes.ts';
import type { FleetWrite } from '../registry/fleet-registry.ts';
import { type ActionDeps, pauseBeforeAttempt } from './action-deps.ts';

const maxAttempts = 10;

/** What to commit, once its units are reserved. */
export interface OrderPlan {
  readonly demands: readonly Demand[];
  writes(holds: readonly string[]): readonly FleetWrite[];
}

/**
 * Reserves units and commits what `decide` returns. It is called again after a conflict, so it must read rows again.
 * A rejection for lack of units is final only when no other commit that takes some of them is in flight. When this
 * rejects, nothing is held.
 */
export async function commitOrder(
  { registry }: Pick<ActionDeps, 'registry'>,
  decide: (usage: UnitUsage) => OrderPlan,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const plan = decideOnce(registry.ledger, decide, attempt);
    if (plan !== undefined && (await reserveAndCommit(registry, plan))) return;
    await pauseBeforeAttempt(attempt);
  }
  throw fleetError(503, 'Too many requests compete for the same capacity; try again', { retryAfterSeconds: 1 });
}

/** Returns whether it is committed; false: another writer was faster. */
async function reserveAndCommit(registry: ActionDeps['registry'], plan: OrderPlan): Promise<boolean> {
  using reservation = registry.ledger.reserve(plan.demands);
  if (reservation === undefined) return false;
  const failure = await commitOnce(registry, plan.writes(reservation.holds));
  if (isError(failure, 'UniqueViolation')) registry.ledger.contest(failure.details.name ?? '');
  return failure === undefined;
}

/** Undefined: there may be units in a moment. */
function decideOnce(
  ledger: ActionDeps['registry']['ledger'],
  decide: (usage: UnitUsage) => OrderPlan,
  attempt: number,
): OrderPlan | undefined {
  const asked = new Set<string>();
  const used = (scope: string): number => {
    asked.add(scope);
    return ledger.used(scope);
  };
  try {
    return decide({ used });
  } catch (error) {
    const isUnsettled = isLackOfUnits(error) && [...asked].some(scope => ledger.isUnsettled(scope));
    if (isUnsettled && attempt < maxAttempts) return undefined;
    throw error;
  }
}

const isLackOfUnits = (error: unknown): boolean =>
  error instanceof FleetError && (error.number === 5 || error.number === 24);

/** Returns why the commit lost a race; undefined: it did not. Throws what another attempt cannot mend. */
async function commitOnce(registry: ActionDeps['registry'], writes: readonly FleetWrite[]): Promise<unknown> {
  try {
    if (writes.length > 0) await registry.commit(writes);
    return undefined;
  } catch (error) {
    if (isError(error, 'UniqueViolation') && error.details.kind === 'name')
      throw fleetError(36, undefined, { cause: error });
    if (isError(error, 'UniqueViolation', 'Conflict', 'NotFound', 'AlreadyExists')) return error;
    throw error;
  }
}
