import { fleetError } from '../errors.ts';
import { placeInstance } from '../model/placement.ts';
import type { ClusterRow, InstanceRow } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';
import { placementRequestOf } from './place-on-cluster.ts';

/** What placement makes of one cluster. */
export interface ClusterVerdict {
  readonly clusterId: string;
  /** `current`: the instance is on it. `next`: it would be placed there now. `possible`: it would fit there too. */
  readonly verdict: 'current' | 'next' | 'possible' | 'passed-over';
  /** Why it is passed over. */
  readonly reason?: string;
}

/** Why an instance is where it is, or nowhere. */
export interface PlacementExplanation {
  readonly row: InstanceRow;
  /** All clusters of the product, the interesting ones first; none for an instance that was not admitted. */
  readonly clusters: readonly ClusterVerdict[];
}

const ranks: readonly ClusterVerdict['verdict'][] = ['current', 'next', 'possible', 'passed-over'];

/** Decides on every cluster as placement would now. Throws 7. */
export function explainPlacement(deps: ActionDeps, id: string): PlacementExplanation {
  const row = deps.registry.instances.get(id);
  if (row === undefined) throw fleetError(7, `There is no instance "${id}"`);
  if (row.status.instanceType === undefined) return { row, clusters: [] };
  const clusters = [...deps.registry.clusters.by('product', row.spec.product)];
  const place = placementOf(deps, row);
  const next = row.status.clusterId === undefined ? place(clusters).cluster : undefined;
  const verdicts = clusters.map((cluster): ClusterVerdict => {
    const { clusterId } = cluster.spec;
    if (clusterId === row.status.clusterId) return { clusterId, verdict: 'current' };
    const alone = place([cluster]);
    if (alone.cluster !== undefined) return { clusterId, verdict: cluster === next ? 'next' : 'possible' };
    return { clusterId, verdict: 'passed-over', reason: alone.passedOver[0]?.reason ?? '' };
  });
  return { row, clusters: verdicts.toSorted(compareVerdicts) };
}

function placementOf(deps: ActionDeps, row: InstanceRow) {
  const { registry, clock } = deps;
  const { configuration } = presentProduct(deps, row.spec.product);
  const request = placementRequestOf(row);
  const context = { configuration, usage: registry.ledger, now: clock.now() };
  return (clusters: readonly ClusterRow[]) => placeInstance(request, clusters, context);
}

const compareVerdicts = (a: ClusterVerdict, b: ClusterVerdict): number =>
  ranks.indexOf(a.verdict) - ranks.indexOf(b.verdict) || (a.clusterId < b.clusterId ? -1 : 1);
