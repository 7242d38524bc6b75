import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type AccessPlan, planAccess } from '../model/plan-access.ts';
import type { AccessChange, ManagedPlan, PlatformAdapter, PlatformBroker, ServiceManager } from '../ports.ts';
import type { ProxySettings } from '../settings.ts';
import { inParallel } from './in-parallel.ts';
import type { Failure } from './reconciler.ts';

export interface AccessNeeds {
  readonly platform: PlatformAdapter;
  readonly serviceManager: ServiceManager;
  readonly settings: ProxySettings;
  readonly logger: Logger;
  /** Only this plan. Default: all plans of the brokers. */
  readonly planId: string | undefined;
}

type Entries = ReadonlyMap<string, PlatformBroker>;

/** Gives and takes access to the plans of these brokers at the platform; answers what failed. */
export async function reconcileAccess(entries: Entries, needs: AccessNeeds): Promise<Failure[]> {
  const { serviceManager, planId } = needs;
  const plans = (await serviceManager.listPlans([...entries.keys()])).filter(
    ({ id }) => planId === undefined || id === planId,
  );
  if (plans.length === 0) return [];
  const first = await compare(entries, plans, needs);
  const { changes, missing } = first.missing.length === 0 ? first : await compareAnew(entries, plans, needs);
  for (const { id } of missing) needs.logger.warn('the platform does not know a plan that it may use', { planId: id });
  return apply(changes, { entries, plans, needs });
}

async function compare(entries: Entries, plans: readonly ManagedPlan[], needs: AccessNeeds): Promise<AccessPlan> {
  const { platform, serviceManager, planId } = needs;
  const visibilities = await serviceManager.listVisibilities(plans.map(({ id }) => id));
  const ofPlans = planId === undefined ? undefined : plans.map(({ catalogId }) => catalogId);
  const current = await platform.listAccess([...entries.values()], ofPlans);
  const nameOf = (brokerId: string) => entries.get(brokerId)?.name;
  return planAccess({ plans, visibilities, current, scopeLabel: platform.scopeLabel ?? '', nameOf });
}

/** The platform may not have the newest catalog. */
async function compareAnew(entries: Entries, plans: readonly ManagedPlan[], needs: AccessNeeds): Promise<AccessPlan> {
  if (needs.planId !== undefined) for (const entry of entries.values()) await needs.platform.refetchCatalog(entry);
  return compare(entries, plans, needs);
}

interface ApplyParts {
  readonly entries: Entries;
  readonly plans: readonly ManagedPlan[];
  readonly needs: AccessNeeds;
}

async function apply(changes: readonly AccessChange[], { entries, plans, needs }: ApplyParts): Promise<Failure[]> {
  const { platform, settings, logger } = needs;
  const results = await inParallel(changes, settings.maxParallelRequests, async change => {
    await platform.changeAccess(change);
    const { brokerName, catalogPlanId, isPublic, scopes } = change.to;
    logger.info('access to a plan changed', { brokerName, catalogPlanId, isPublic, scopes: scopes.length });
  });
  return results.flatMap((result, at): Failure[] => {
    const to = changes[at]?.to;
    const plan = plans.find(
      ({ brokerId, catalogId }) => catalogId === to?.catalogPlanId && entries.get(brokerId)?.name === to.brokerName,
    );
    if (result.status === 'fulfilled' || plan === undefined) return [];
    const subject = { type: 'plan', brokerId: plan.brokerId, planId: plan.id } as const;
    return [{ subject, error: toError(result.reason) }];
  });
}
