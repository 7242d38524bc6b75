import { Heap, type HeapItem } from './heap.ts';
import { LinkedList, type ListNode, listNode } from './linked-list.ts';

/** What waits for its turn. */
export interface FairItem extends HeapItem {
  readonly tenant: string;
  /** Higher goes first within the tenant. */
  priority: number;
  /** Among equals the lower goes first. */
  order: number;
}

interface Tenant<I extends FairItem> {
  readonly name: string;
  readonly items: Heap<I>;
  /** How many items are left of its turn. */
  credit: number;
}

/** One turn in so many goes to background work, even while there is live work. */
export const backgroundShare = 8;

/**
 * Decides the order: tenants in rounds, and within a tenant the highest priority first.
 *
 * There are two rounds of turns: of tenants whose most urgent item is live (priority 0 and up), and of those that have only
 * background items. Live goes first, so that a re-list of thousands of tenants does not hold up a change; but each
 * {@link backgroundShare}-th turn goes to the background, so that no tenant starves. Hence a tenant's most urgent live item
 * waits for at most one turn of each other tenant with live items, and one background item in `backgroundShare - 1` of
 * those.
 */
export class FairOrder<I extends FairItem> {
  readonly #weightOf: (tenant: string) => number;
  readonly #tenants = new Map<string, ListNode<Tenant<I>>>();
  readonly #live = new LinkedList<Tenant<I>>();
  readonly #background = new LinkedList<Tenant<I>>();
  #size = 0;
  #liveInARow = 0;

  constructor(weightOf: (tenant: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  push(item: I): void {
    const node = this.#tenants.get(item.tenant) ?? this.#newTenant(item.tenant);
    node.value.items.push(item);
    this.#size++;
    this.#assignList(node);
  }

  /** To be called after raising the priority of an item that waits here. */
  raised(item: I): void {
    const node = this.#tenants.get(item.tenant);
    if (node === undefined) return;
    node.value.items.update(item);
    this.#assignList(node);
  }

  pop(): I | undefined {
    const node = this.#nextTenant();
    const item = node?.value.items.pop();
    if (node === undefined || item === undefined) return undefined;
    this.#size--;
    this.#endTurn(node);
    return item;
  }

  #newTenant(name: string): ListNode<Tenant<I>> {
    const node = listNode<Tenant<I>>({ name, items: new Heap<I>(isMoreUrgent), credit: this.#weight(name) });
    this.#tenants.set(name, node);
    return node;
  }

  #nextTenant(): ListNode<Tenant<I>> | undefined {
    const live = this.#live.first;
    const background = this.#background.first;
    const isBackgroundDue = live === undefined || this.#liveInARow >= backgroundShare - 1;
    if (background !== undefined && isBackgroundDue) {
      this.#liveInARow = 0;
      return background;
    }
    this.#liveInARow++;
    return live;
  }

  /** A tenant without items leaves; when it returns it starts at the end, so leaving early gains nothing. */
  #endTurn(node: ListNode<Tenant<I>>): void {
    const tenant = node.value;
    tenant.credit--;
    if (tenant.items.size === 0) {
      node.list?.remove(node);
      this.#tenants.delete(tenant.name);
      return;
    }
    if (tenant.credit <= 0) {
      tenant.credit = this.#weight(tenant.name);
      node.list?.append(node);
    }
    this.#assignList(node);
  }

  #assignList(node: ListNode<Tenant<I>>): void {
    const isLive = (node.value.items.peek()?.priority ?? 0) >= 0;
    const list = isLive ? this.#live : this.#background;
    if (node.list !== list) list.append(node);
  }

  #weight(tenant: string): number {
    return Math.max(1, Math.floor(this.#weightOf(tenant)));
  }
}

const isMoreUrgent = (a: FairItem, b: FairItem): boolean =>
  a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
