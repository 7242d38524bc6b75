import { quotaContext } from '../../actions/action-deps.ts';
import { hasLifespan } from '../../actions/has-lifespan.ts';
import { decideExpiry, type ExpiryDecision } from '../../model/expiry.ts';
import { quotaStateOf } from '../../model/quota.ts';
import type { ConfiguredProduct } from '../../registry/fleet-registry.ts';
import type { InstanceDraft } from '../instance-draft.ts';
import type { InstanceStep } from '../instance-step.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import type { DeletionBudget } from './deletion-budget.ts';

/**
 * Ends instances whose lifespan has ended, and, after a grace period, those whose quota was lost; as many as the budget
 * allows. Comes back when there is something to decide.
 */
export const createExpire =
  (budget: DeletionBudget): InstanceStep =>
  (draft, deps, { product, now }) => {
    if (product === undefined || draft.status.state === undefined) return 'stop';
    const { settings } = product.configuration;
    const { decision, grantEndsAt } = decide(draft, deps, { product, now });
    const due = (at: Date | undefined) =>
      at === undefined ? 'continue' : { retryAfterMs: at.getTime() - now.getTime() };
    switch (decision.type) {
      case 'keep':
        return due(grantEndsAt);
      case 'wait':
        return due(decision.until);
      case 'set':
        announce(draft, deps, decision.expiresAt);
        draft.apply({ type: 'expiry-set', expiresAt: decision.expiresAt });
        return 'continue';
      case 'delete': {
        const waitMs = budget.take(product.row.id, settings.maxDeletionsPerMinute, now);
        if (waitMs > 0) return { retryAfterMs: waitMs };
        draft.apply({ type: 'delete', by: 'expiry' });
        deps.recordEvent(draft.row, { type: 'Warning', reason: 'Expired', message: `deleted because ${decision.why}` });
        return 'stop';
      }
    }
  };

function decide(
  { row, spec, status }: InstanceDraft,
  { registry, clock }: WorkerDeps,
  { product, now }: { readonly product: ConfiguredProduct; readonly now: Date },
): { readonly decision: ExpiryDecision; readonly grantEndsAt: Date | undefined } {
  const { owner, organisation } = spec;
  const quota = quotaContext({ registry, clock }, product, { username: owner, organisation });
  const { instanceType = '' } = status;
  const decision = decideExpiry({
    status,
    hasLifespan: hasLifespan(product, row),
    quota: quotaStateOf({ owner, organisation, instanceType }, quota),
    graceSeconds: product.configuration.settings.quotaGraceSeconds,
    now,
  });
  return {
    decision,
    grantEndsAt: earliest(
      quota.grants.map(({ expiresAt }) => expiresAt),
      now,
    ),
  };
}

function earliest(times: readonly (string | undefined)[], now: Date): Date | undefined {
  const future = times.flatMap(time => (time === undefined ? [] : [Date.parse(time)])).filter(ms => ms > now.getTime());
  return future.length === 0 ? undefined : new Date(Math.min(...future));
}

function announce({ row }: InstanceDraft, { recordEvent }: WorkerDeps, expiresAt: string | undefined): void {
  if (expiresAt === undefined)
    recordEvent(row, { type: 'Normal', reason: 'QuotaBack', message: 'quota covers it again; it does not expire' });
  else
    recordEvent(row, {
      type: 'Warning',
      reason: 'QuotaLost',
      message: `no quota covers it; it is deleted at ${expiresAt}`,
    });
}
