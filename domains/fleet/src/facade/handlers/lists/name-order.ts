import { Pace } from '@chandlery/platform';
import type { RowChange } from '@chandlery/registry';
import { compareBy, defaultOrder } from '../../../model/search/parse-order.ts';
import { sortInSteps } from '../../../model/search/sort-in-steps.ts';
import { SortedBlocks } from '../../../model/search/sorted-blocks.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import type { FacadeTables } from '../facade-deps.ts';

const compareRows = compareBy(defaultOrder);

/** The instances of every product in the default order, kept up to date, so that a page of all of them is cheap. */
export class NameOrder implements Disposable {
  readonly #byProduct = new Map<string, SortedBlocks<InstanceRow>>();
  readonly #stop: () => void;
  /** Changes since the rows were read that are sorted; undefined once they are. */
  #later: RowChange<InstanceRow>[] | undefined = [];

  private constructor({ instances }: Pick<FacadeTables, 'instances'>) {
    this.#stop = instances.listen(change => {
      if (this.#later === undefined) this.#apply(change);
      else this.#later.push(change);
    });
  }

  /** Sorts what is there, in steps between which others may work. */
  static async open(tables: Pick<FacadeTables, 'instances'>): Promise<NameOrder> {
    const order = new NameOrder(tables);
    for (const [product, rows] of Map.groupBy(tables.instances.all(), ({ spec }) => spec.product)) {
      const sorted = await new Pace().run(sortInSteps(rows, compareRows));
      order.#byProduct.set(product, new SortedBlocks(compareRows, sorted));
    }
    for (const change of order.#later ?? []) order.#apply(change);
    order.#later = undefined;
    return order;
  }

  /** The instances of a product by name. */
  of(product: string): Pick<SortedBlocks<InstanceRow>, 'size' | 'slice'> {
    return this.#byProduct.get(product) ?? new SortedBlocks<InstanceRow>(compareRows);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #apply({ type, row, previous }: RowChange<InstanceRow>): void {
    const old = previous ?? row;
    this.#byProduct.get(old.spec.product)?.remove(old);
    if (type !== 'removed') this.#blocksOf(row.spec.product).put(row);
  }

  #blocksOf(product: string): SortedBlocks<InstanceRow> {
    const present = this.#byProduct.get(product);
    if (present !== undefined) return present;
    const created = new SortedBlocks<InstanceRow>(compareRows);
    this.#byProduct.set(product, created);
    return created;
  }
}
