import type { FleetInstance } from '@chandlery/fleet/kinds';
import { formatTable } from '../output/table.ts';
import { displayName } from './fleet-objects.ts';
import { reasonOf } from './follow-instance.ts';
import { renderPairs } from './render-parts.ts';

/** What the fleet manager says of the placement of an instance. */
export interface Placement {
  readonly cluster_id?: string;
  readonly clusters: readonly {
    readonly cluster_id: string;
    readonly verdict: 'current' | 'next' | 'possible' | 'passed-over';
    readonly reason?: string;
  }[];
}

const verdicts = {
  current: 'it is here',
  next: 'it would be placed here now',
  possible: 'it would fit here too',
  'passed-over': 'passed over',
} as const;

/** Renders why an instance is placed where it is, or nowhere. */
export function renderPlacement(instance: FleetInstance, placement: Placement): string {
  const { metadata, spec, status = {} } = instance;
  const plan = `${status.instanceType ?? '?'}.${status.sizeId ?? '?'}, ${unitsText(status.units)}`;
  const pairs = renderPairs([
    ['Instance', `${displayName(instance)} (${metadata.name}) of organisation ${spec.organisation}`],
    ['State', status.state ?? 'not admitted yet'],
    ['Why', status.failedReason ?? reasonOf(instance)],
    [
      'Needs',
      status.instanceType &&
        `${spec.region ?? ''} of ${spec.cloudProvider ?? ''}, ${plan}${spec.multiAz ? ', several zones' : ''}`,
    ],
    ['Cluster', summaryOf(placement, status.state)],
  ]);
  const rows = placement.clusters.map(({ cluster_id: id, verdict, reason = '' }) => [
    id,
    reason === '' ? verdicts[verdict] : `${verdicts[verdict]}: ${reason}`,
  ]);
  return rows.length === 0 ? pairs : `${pairs}\n${formatTable(['cluster', 'verdict'], rows)}`;
}

const unitsText = (units = 0): string => `${units} capacity ${units === 1 ? 'unit' : 'units'}`;

function summaryOf({ cluster_id: clusterId, clusters }: Placement, state: string | undefined): string {
  if (clusterId !== undefined) return clusterId;
  if (state === undefined) return 'none: it was not admitted yet';
  if (clusters.length === 0) return 'none: the product has no clusters';
  const next = clusters.find(({ verdict }) => verdict === 'next');
  return next === undefined ? 'none: no cluster takes it now' : `none yet: ${next.cluster_id} takes it`;
}
