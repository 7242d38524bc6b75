import { type AccessRequest, shorten } from '@chandlery/clusters/kinds';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { isReserved, resourcesOf } from '../operator/own-kinds.ts';
import type { ServedKind } from '../tenants/served-kinds.ts';

/** A kind that a provider offers, and whether its objects belong to the control plane of their name. */
export interface OfferedKind extends ServedKind {
  readonly provider: string;
  /** Undefined: the provider does not declare it; its AccessRequests decide. */
  readonly usesControlPlane: boolean | undefined;
}

type Claim = ReturnType<typeof resourcesOf>[number];

/** The kinds that providers offer, as far as `served` finds them on the onboarding cluster. */
export const offeredKinds = (
  providers: readonly Provider[],
  served: (claims: readonly Claim[]) => readonly ServedKind[],
): readonly OfferedKind[] =>
  providers.flatMap(provider =>
    resourcesOf(provider)
      .filter(({ group }) => !isReserved(group))
      .flatMap(claim =>
        served([claim]).map(kind => ({
          ...kind,
          provider: provider.metadata.name ?? '',
          usesControlPlane: claim.usesControlPlane,
        })),
      ),
  );

/**
 * Whether objects of a kind with the name of a control plane use it. For a provider that does not declare it, an
 * AccessRequest in the control plane's namespace decides. An object that only shares the name is not bound.
 */
export function isBound(
  { provider, usesControlPlane }: Pick<OfferedKind, 'provider' | 'usesControlPlane'>,
  requests: readonly Pick<AccessRequest, 'metadata'>[],
): boolean {
  if (usesControlPlane !== undefined) return usesControlPlane;
  return requests.some(({ metadata }) => metadata.labels?.[providerNames.managedByLabel] === shorten(provider));
}
