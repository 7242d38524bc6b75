import { isJsonObject, type JsonObject } from '@chandlery/api';

import { uuidOf } from './offer-names.ts';
import type { OfferedKind, OfferedPlan, ServiceOffer } from './service-offer.ts';

interface DeclaredPlan extends JsonObject {
  name: string;
  description?: string;
  free?: boolean;
  spec?: JsonObject;
  /** Default: for every kind of the provider. */
  kind?: string;
}

/**
 * A kind with its plans. The operator's declaration in the provider's configuration overrides the developer's in the
 * definition of the kind; without either there is one plan. An invalid declaration offers nothing, because it may have
 * been meant to offer less.
 */
export function offerOf(kind: OfferedKind, configuredText: string | undefined): ServiceOffer {
  const text = configuredText ?? kind.plansText;
  if (text === undefined) return { ...kind, plans: [planOf(kind, defaultPlan)] };
  const own = parsePlans(text)?.filter(plan => plan.kind === undefined || plan.kind === kind.kind);
  if (own === undefined || !areDistinct(own)) return { ...kind, plans: [], problem: problemOf(kind) };
  return { ...kind, plans: own.map(plan => planOf(kind, plan)) };
}

const defaultPlan: DeclaredPlan = { name: 'default', description: 'Everything is decided by parameters.' };

const problemOf = ({ kind, provider }: OfferedKind): string =>
  `the plans of ${kind} of provider ${provider} must be a JSON list of objects with distinct names, and with description, spec, free or kind if need be`;

const planOf = ({ provider, kind, group }: OfferedKind, plan: DeclaredPlan): OfferedPlan => ({
  id: uuidOf('plan', provider, group, kind, plan.name),
  name: plan.name,
  description: plan.description ?? `${kind}, plan ${plan.name}.`,
  isFree: plan.free ?? true,
  spec: plan.spec ?? {},
});

function parsePlans(text: string): readonly DeclaredPlan[] | undefined {
  try {
    const plans: unknown = JSON.parse(text);
    return Array.isArray(plans) && plans.every(isPlan) ? plans : undefined;
  } catch {
    return undefined;
  }
}

const areDistinct = (plans: readonly DeclaredPlan[]): boolean =>
  new Set(plans.map(({ name }) => name)).size === plans.length;

function isPlan(plan: unknown): plan is DeclaredPlan {
  if (!isJsonObject(plan) || typeof plan['name'] !== 'string' || plan['name'] === '') return false;
  const { description = '', free = true, spec = {}, kind = '' } = plan;
  return typeof description === 'string' && typeof free === 'boolean' && isJsonObject(spec) && typeof kind === 'string';
}
