import type { StoredObject } from './store.ts';

/** Above this, counting what remains costs more than the number is worth. */
export const maxRemaining = 10_000;

/** Collects the objects of one page. */
export class PageBuilder {
  readonly items: StoredObject[] = [];
  readonly #limit: number;
  readonly #filter: (object: StoredObject) => boolean;
  #more = false;

  constructor(limit = Number.POSITIVE_INFINITY, filter: (object: StoredObject) => boolean = () => true) {
    this.#limit = limit;
    this.#filter = filter;
  }

  /** True when a candidate was left out because the page is full. */
  get more(): boolean {
    return this.#more;
  }

  /** Whether the page still takes objects. Asking with another candidate at hand tells that there is more. */
  takesAnother(): boolean {
    if (this.items.length < this.#limit) return true;
    this.#more = true;
    return false;
  }

  offer(object: StoredObject): void {
    if (this.#filter(object)) this.items.push(object);
  }
}
