/** A place in a doubly linked list. Made once for each value and moved between lists. */
export interface ListNode<T> {
  readonly value: T;
  list: LinkedList<T> | undefined;
  before: ListNode<T> | undefined;
  after: ListNode<T> | undefined;
}

/** A node that is in no list yet. */
export const listNode = <T>(value: T): ListNode<T> => ({ value, list: undefined, before: undefined, after: undefined });

/** A doubly linked list. Every operation takes O(1), which deleting from the front of a `Set` does not. */
export class LinkedList<T> {
  #first: ListNode<T> | undefined;
  #last: ListNode<T> | undefined;

  get first(): ListNode<T> | undefined {
    return this.#first;
  }

  /** Puts a node at the end, taking it out of where it was. */
  append(node: ListNode<T>): void {
    node.list?.remove(node);
    node.list = this;
    node.before = this.#last;
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
  }

  remove(node: ListNode<T>): void {
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    node.list = undefined;
    node.before = undefined;
    node.after = undefined;
  }
}
