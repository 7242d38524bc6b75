import type { RowChange } from '@chandlery/registry';
import { type InstanceRow, indexTerm } from '../../../registry/fleet-registry.ts';
import type { FacadeTables } from '../facade-deps.ts';
import { addHash, hashOfView } from './agent-view.ts';

/**
 * A revision per cluster: a sum of hashes of what its agent sees of each instance. It changes with what the agent sees
 * and with nothing else, and every replica computes the same one, so a poll with the present revision has nothing to
 * fetch. Computed once per cluster, then kept by the changes of the table.
 */
export class ClusterRevisions implements Disposable {
  readonly #instances: FacadeTables['instances'];
  readonly #sums = new Map<string, bigint>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Of rows that changed: the next change of such a row needs it again. */
  readonly #hashes = new WeakMap<InstanceRow, bigint>();
  readonly #stop: () => void;

  constructor({ instances }: Pick<FacadeTables, 'instances'>) {
    this.#instances = instances;
    this.#stop = instances.listen(change => this.#apply(change));
  }

  /** The revision of a cluster, named by its term in the index of instances. */
  of(cluster: string): string {
    let sum = this.#sums.get(cluster);
    if (sum === undefined) {
      sum = 0n;
      for (const row of this.#instances.by('cluster', cluster)) sum = addHash(sum, hashOfView(row));
      this.#sums.set(cluster, sum);
    }
    return sum.toString(16);
  }

  /** Calls back on every change of a cluster's revision. Returns a function that ends it. */
  listen(cluster: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(cluster) ?? new Set();
    this.#listeners.set(cluster, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(cluster) === listeners) this.#listeners.delete(cluster);
    };
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #apply({ type, row, previous }: RowChange<InstanceRow>): void {
    const before = type === 'added' ? undefined : (previous ?? row);
    const after = type === 'removed' ? undefined : row;
    const changed = new Set([...this.#add(before, hash => -hash), ...this.#add(after, hash => hash)]);
    if (
      before !== undefined &&
      after !== undefined &&
      isSameCluster(before, after) &&
      this.#hashOf(before) === this.#hashOf(after)
    )
      return;
    for (const cluster of changed) for (const notify of this.#listeners.get(cluster) ?? []) notify();
  }

  /** Counts a row in or out where the revision is known. Returns its cluster. */
  #add(row: InstanceRow | undefined, signed: (hash: bigint) => bigint): readonly string[] {
    const cluster = row && clusterOf(row);
    if (row === undefined || cluster === undefined) return [];
    const sum = this.#sums.get(cluster);
    if (sum !== undefined) this.#sums.set(cluster, addHash(sum, signed(this.#hashOf(row))));
    return [cluster];
  }

  #hashOf(row: InstanceRow): bigint {
    const known = this.#hashes.get(row);
    if (known !== undefined) return known;
    const hash = hashOfView(row);
    this.#hashes.set(row, hash);
    return hash;
  }
}

const clusterOf = ({ spec, status }: InstanceRow): string | undefined =>
  status.clusterId === undefined ? undefined : indexTerm(spec.product, status.clusterId);

const isSameCluster = (one: InstanceRow, other: InstanceRow): boolean => clusterOf(one) === clusterOf(other);
