import { compareBy, defaultOrder } from '../../../model/search/parse-order.ts';
import { SortedBlocks } from '../../../model/search/sorted-blocks.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import type { FacadeTables } from '../facade-deps.ts';

const compareRows = compareBy(defaultOrder);

/** The instances of every product in the default order, kept up to date, so that a page of all of them is cheap. */
export class NameOrder {
  readonly #byProduct = new Map<string, SortedBlocks<InstanceRow>>();
  readonly #stop: () => void;

  constructor({ instances }: Pick<FacadeTables, 'instances'>) {
    const present = Map.groupBy(instances.all(), ({ spec }) => spec.product);
    for (const [product, rows] of present)
      this.#byProduct.set(product, new SortedBlocks(compareRows, rows.sort(compareRows)));
    this.#stop = instances.listen(({ type, row, previous }) => {
      const old = previous ?? row;
      this.#byProduct.get(old.spec.product)?.remove(old);
      if (type !== 'removed') this.#blocksOf(row.spec.product).put(row);
    });
  }

  /** The instances of a product by name. */
  of(product: string): Pick<SortedBlocks<InstanceRow>, 'size' | 'slice'> {
    return this.#byProduct.get(product) ?? new SortedBlocks<InstanceRow>(compareRows);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #blocksOf(product: string): SortedBlocks<InstanceRow> {
    const present = this.#byProduct.get(product);
    if (present !== undefined) return present;
    const created = new SortedBlocks<InstanceRow>(compareRows);
    this.#byProduct.set(product, created);
    return created;
  }
}
