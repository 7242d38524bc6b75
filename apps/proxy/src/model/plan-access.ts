import type { AccessChange, ManagedPlan, ManagedVisibility, PlanAccess } from '../ports.ts';

export interface AccessPlanInput {
  /** The plans whose access is looked at. */
  readonly plans: readonly ManagedPlan[];
  readonly visibilities: readonly ManagedVisibility[];
  /** What the platform has now for these plans. */
  readonly current: readonly PlanAccess[];
  readonly scopeLabel: string;
  /** The scopes that the platform has; others are left out. */
  readonly knownScopes: ReadonlySet<string>;
  /** The name of a broker at the platform; undefined for one that is not there. */
  readonly nameOf: (brokerId: string) => string | undefined;
}

/** What is to change, and plans that may be used and that the platform does not know. */
export interface AccessPlan {
  readonly changes: readonly AccessChange[];
  readonly missing: readonly ManagedPlan[];
}

/** Compares who may use plans by the service manager with who may by the platform. */
export function planAccess(input: AccessPlanInput): AccessPlan {
  const { plans, visibilities, current, nameOf } = input;
  const byPlan = Map.groupBy(visibilities, ({ planId }) => planId);
  const currentByKey = new Map(current.map(access => [keyOf(access.brokerName, access.catalogPlanId), access]));
  const changes: AccessChange[] = [];
  const missing: ManagedPlan[] = [];
  for (const plan of plans) {
    const wanted = wantedAccess(byPlan.get(plan.id) ?? [], input);
    const from = currentByKey.get(keyOf(nameOf(plan.brokerId) ?? '', plan.catalogId));
    if (from === undefined) {
      if (wanted.isPublic || wanted.scopes.length > 0) missing.push(plan);
    } else if (!isSameAccess(from, wanted)) changes.push({ from, to: { ...from, ...wanted } });
  }
  return { changes, missing };
}

/** A visibility without a platform or a scope is public and includes all others. */
function wantedAccess(visibilities: readonly ManagedVisibility[], { scopeLabel, knownScopes }: AccessPlanInput) {
  const scopes = new Set<string>();
  for (const { platformId, labels } of visibilities) {
    const own = labels[scopeLabel] ?? [];
    if (platformId === '' || own.length === 0) return { isPublic: true, scopes: [] };
    for (const scope of own) if (knownScopes.has(scope)) scopes.add(scope);
  }
  return { isPublic: false, scopes: [...scopes].sort() };
}

function isSameAccess(a: Pick<PlanAccess, 'isPublic' | 'scopes'>, b: Pick<PlanAccess, 'isPublic' | 'scopes'>): boolean {
  if (a.isPublic || b.isPublic) return a.isPublic === b.isPublic;
  return new Set(a.scopes).symmetricDifference(new Set(b.scopes)).size === 0;
}

const keyOf = (brokerName: string, catalogPlanId: string): string => JSON.stringify([brokerName, catalogPlanId]);
