import type { ScalingKey } from '../../model/scaling.ts';
import type { FleetRegistry, InstanceRow } from '../../registry/fleet-registry.ts';
import { indexTerm } from '../../registry/fleet-registry.ts';

/** One type in one region of a product. */
export interface ProductScalingKey extends ScalingKey {
  readonly product: string;
}

/** Which types of which regions have instances that wait for a cluster; kept up to date by changes. */
export class ScalingDemand {
  readonly #waiting = new Map<string, Set<string>>();

  isWaiting(key: ProductScalingKey): boolean {
    return this.#waiting.has(termOf(key));
  }

  /** Follows the instances, and adds the keys whose use or demand changed. Returns how to stop. */
  listen({ instances }: FleetRegistry, add: (key: ProductScalingKey) => void): () => void {
    const follow = (row: InstanceRow, isThere: boolean): void => {
      const key = keyOfInstance(row);
      if (key === undefined) return;
      this.#note(termOf(key), row.id, isThere && needsCluster(row));
      add(key);
    };
    for (const row of instances.all()) follow(row, true);
    return instances.listen(({ type, row, previous }) => {
      const isSame = previous?.status.clusterId === row.status.clusterId && previous?.status.state === row.status.state;
      if (type !== 'changed' || !isSame) follow(row, type !== 'removed');
    });
  }

  #note(term: string, id: string, isWaiting: boolean): void {
    const waiting = this.#waiting.get(term) ?? new Set();
    if (isWaiting) waiting.add(id);
    else waiting.delete(id);
    if (waiting.size > 0) this.#waiting.set(term, waiting);
    else this.#waiting.delete(term);
  }
}

const needsCluster = ({ status }: InstanceRow): boolean =>
  status.clusterId === undefined && (status.state === 'accepted' || status.state === 'provisioning');

const termOf = ({ product, cloudProvider, region, instanceType }: ProductScalingKey): string =>
  indexTerm(product, cloudProvider, region, instanceType);

function keyOfInstance({ spec, status }: InstanceRow): ProductScalingKey | undefined {
  const { product, cloudProvider = '', region = '' } = spec;
  const { instanceType } = status;
  return instanceType === undefined ? undefined : { product, cloudProvider, region, instanceType };
}
