import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { inParallel } from '../http/in-parallel.ts';
import { type AccessPlan, planAccess } from '../model/plan-access.ts';
import type { AccessChange, ManagedPlan, PlatformAdapter, PlatformBroker, ServiceManager } from '../ports.ts';
import type { ProxySettings } from '../settings.ts';
import type { Failure } from './reconciler.ts';

export interface AccessDeps {
  readonly platform: PlatformAdapter;
  readonly serviceManager: ServiceManager;
  readonly settings: ProxySettings;
  readonly logger: Logger;
  /** Only these plans. Default: all plans of the brokers. */
  readonly planIds: readonly string[] | undefined;
}

type Entries = ReadonlyMap<string, PlatformBroker>;

/** Gives and takes access to the plans of these brokers at the platform; returns what failed, one failure per broker. */
export async function reconcileAccess(entries: Entries, deps: AccessDeps): Promise<Failure[]> {
  const plans = await deps.serviceManager.listPlans([...entries.keys()], deps.planIds);
  if (plans.length === 0) return [];
  const first = await compare(entries, plans, deps);
  const { changes, missing } = first.missing.length === 0 ? first : await compareAnew(entries, plans, deps);
  for (const { id } of missing) deps.logger.warn('the platform does not know a plan that it may use', { planId: id });
  return apply(changes, { entries, plans, deps });
}

async function compare(entries: Entries, plans: readonly ManagedPlan[], deps: AccessDeps): Promise<AccessPlan> {
  const { platform, serviceManager, planIds } = deps;
  const scopeLabel = platform.scopeLabel ?? '';
  const visibilities = await serviceManager.listVisibilities(plans.map(({ id }) => id));
  const ofPlans = planIds === undefined ? undefined : plans.map(({ catalogId }) => catalogId);
  const current = await platform.listAccess([...entries.values()], ofPlans);
  const scopes = new Set(visibilities.flatMap(({ labels }) => labels[scopeLabel] ?? []));
  const knownScopes = new Set(await platform.knownScopes([...scopes]));
  const nameOf = (brokerId: string) => entries.get(brokerId)?.name;
  return planAccess({ plans, visibilities, current, scopeLabel, knownScopes, nameOf });
}

/** The platform may not have the newest catalog. */
async function compareAnew(entries: Entries, plans: readonly ManagedPlan[], deps: AccessDeps): Promise<AccessPlan> {
  if (deps.planIds !== undefined) for (const entry of entries.values()) await deps.platform.refetchCatalog(entry);
  return compare(entries, plans, deps);
}

interface ApplyOptions {
  readonly entries: Entries;
  readonly plans: readonly ManagedPlan[];
  readonly deps: AccessDeps;
}

async function apply(changes: readonly AccessChange[], { entries, plans, deps }: ApplyOptions): Promise<Failure[]> {
  const { platform, settings, logger } = deps;
  const results = await inParallel(changes, settings.maxParallelRequests, async change => {
    await platform.changeAccess(change);
    const { brokerName, catalogPlanId, isPublic, scopes } = change.to;
    logger.info('access to a plan changed', { brokerName, catalogPlanId, isPublic, scopes: scopes.length });
  });
  const planOf = new Map(plans.map(plan => [keyOf(entries.get(plan.brokerId)?.name, plan.catalogId), plan]));
  const failed = results.flatMap((result, at) => {
    const { brokerName, catalogPlanId } = changes[at]?.to ?? {};
    const plan = planOf.get(keyOf(brokerName, catalogPlanId));
    return result.status === 'fulfilled' || plan === undefined ? [] : [{ plan, error: toError(result.reason) }];
  });
  return [...Map.groupBy(failed, ({ plan }) => plan.brokerId)].flatMap(([brokerId, [first, ...others]]) => {
    if (first === undefined) return [];
    const planIds = [first, ...others].map(({ plan }) => plan.id);
    return [{ subject: { type: 'plans', brokerId, planIds }, error: first.error }];
  });
}

const keyOf = (brokerName: string | undefined, catalogPlanId: string | undefined): string =>
  JSON.stringify([brokerName, catalogPlanId]);
