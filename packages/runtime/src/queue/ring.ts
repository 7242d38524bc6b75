/** A place in a ring. Made once for each value and moved between rings. */
export interface RingNode<T> {
  readonly value: T;
  ring: Ring<T> | undefined;
  before: RingNode<T> | undefined;
  after: RingNode<T> | undefined;
}

/** A node that is in no ring yet. */
export const ringNode = <T>(value: T): RingNode<T> => ({ value, ring: undefined, before: undefined, after: undefined });

/** Who takes turns, in which order. Everything takes O(1), which deleting from the front of a `Set` does not. */
export class Ring<T> {
  #first: RingNode<T> | undefined;
  #last: RingNode<T> | undefined;

  get first(): RingNode<T> | undefined {
    return this.#first;
  }

  /** Puts a node at the end, taking it out of where it was. */
  append(node: RingNode<T>): void {
    node.ring?.remove(node);
    node.ring = this;
    node.before = this.#last;
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
  }

  remove(node: RingNode<T>): void {
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    node.ring = undefined;
    node.before = undefined;
    node.after = undefined;
  }
}
