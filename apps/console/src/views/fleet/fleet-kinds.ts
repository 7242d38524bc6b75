import { type Access, useAccess } from '../../api/access.ts';
import type { ServedKind } from '../../api/kinds.ts';

/** The cluster that holds the fleet, whichever one the user works on. */
export const fleetCluster = 'onboarding';

const group = 'fleet.chandlery.io';

const kindOf = (kind: string, plural: string, isNamespaced: boolean): ServedKind => ({
  group,
  version: 'v1alpha1',
  plural,
  kind,
  isNamespaced,
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  shortNames: [],
  subresources: ['status'],
});

/** The kinds that the pages of the fleet show. */
export const fleetKinds = {
  instances: kindOf('FleetInstance', 'fleetinstances', true),
  clusters: kindOf('FleetCluster', 'fleetclusters', false),
  rollouts: kindOf('FleetRollout', 'fleetrollouts', false),
  grants: kindOf('QuotaGrant', 'quotagrants', false),
} as const;

/** Whether the user operates the fleet: has all rights on its kinds, by which its REST API goes as well. */
export function useOperator(): Access {
  const { isKnown, denial } = useAccess({ cluster: fleetCluster, verb: '*', group, plural: '*' });
  return {
    isKnown,
    denial:
      denial && `Only operators of the fleet may do this: they have all rights on ${group} in cluster "onboarding"`,
  };
}
