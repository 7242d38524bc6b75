import { isDeepStrictEqual } from 'node:util';
import { type ClusterRow, type InstanceRow, indexTerm } from '../../registry/fleet-registry.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** A unit that becomes free is enough for one; a few more may be smaller or of another type. */
const maxWokenByUnit = 8;

/** Instances that found no cluster, by region, in the order in which they began to wait. */
export class WaitingInstances {
  readonly #regions = new Map<string, Set<string>>();

  add(row: InstanceRow): void {
    const term = regionOf(row);
    const waiting = this.#regions.get(term) ?? new Set();
    this.#regions.set(term, waiting.add(row.id));
  }

  remove(row: InstanceRow): void {
    const term = regionOf(row);
    this.#regions.get(term)?.delete(row.id);
    if (this.#regions.get(term)?.size === 0) this.#regions.delete(term);
  }

  of(region: string): Iterable<string> {
    return this.#regions.get(region) ?? [];
  }

  /** Calls `wake` for those whom a change of a cluster or a unit that became free may help. Returns how to stop. */
  listen({ registry }: WorkerDeps, wake: (row: InstanceRow) => void): () => void {
    const wakeSome = (region: string, max: number): void => {
      for (const id of [...this.of(region)].slice(0, max)) {
        const row = registry.instances.get(id);
        if (row !== undefined) wake(row);
      }
    };
    const stops = [
      registry.clusters.listen(({ type, row, previous }) => {
        if (type !== 'removed' && (previous === undefined || isOtherForPlacement(row, previous)))
          wakeSome(indexTerm(row.spec.product, row.spec.cloudProvider, row.spec.region), Number.POSITIVE_INFINITY);
      }),
      registry.instances.listen(({ type, row, previous }) => {
        if (type === 'removed') this.remove(row);
        const former = type === 'removed' ? row : previous;
        const hasLeft =
          former?.status.clusterId !== undefined && (type === 'removed' || row.status.clusterId === undefined);
        if (hasLeft) wakeSome(regionOf(row), maxWokenByUnit);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }
}

const regionOf = ({ spec }: InstanceRow): string =>
  indexTerm(spec.product, spec.cloudProvider ?? '', spec.region ?? '');

/** Contacts of agents change a cluster often, and placement does not depend on them unless one was silent. */
function isOtherForPlacement(row: ClusterRow, previous: ClusterRow): boolean {
  const { lastSeenAt: _, updatedAt: _u, conditions: _c, ...status } = row.status;
  const { lastSeenAt: _p, updatedAt: _pu, conditions: _pc, ...former } = previous.status;
  return row.spec !== previous.spec && !isDeepStrictEqual(row.spec, previous.spec)
    ? true
    : !isDeepStrictEqual(status, former);
}
