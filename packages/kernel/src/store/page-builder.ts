import type { ListQuery, StoredObject } from './store.ts';

/** Above this, counting what remains costs more than the number is worth. */
export const maxRemaining = 10_000;

/** How many candidates are read at once while their size is unknown. */
const firstBatch = 16;

/** Collects the objects of one page. */
export class PageBuilder {
  readonly items: StoredObject[] = [];
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #filter: (object: StoredObject) => boolean;
  #bytes = 0;
  #candidates = 0;
  #candidateBytes = 0;
  #more = false;

  constructor({ limit, maxBytes, filter }: Pick<ListQuery, 'limit' | 'maxBytes' | 'filter'>) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#maxBytes = maxBytes ?? Number.POSITIVE_INFINITY;
    this.#filter = filter ?? (() => true);
  }

  /** True when a candidate was left out because the page is full. */
  get more(): boolean {
    return this.#more;
  }

  /** Whether the page still takes objects. A call with another candidate at hand shows that there is more. */
  takesAnother(): boolean {
    if (this.items.length < this.#limit && this.#bytes < this.#maxBytes) return true;
    this.#more = true;
    return false;
  }

  offer(object: StoredObject): void {
    const { length } = object.value.bytes;
    this.#candidates += 1;
    this.#candidateBytes += length;
    if (!this.#filter(object)) return;
    this.items.push(object);
    this.#bytes += length;
  }

  /** How many candidates to read next, at most `max`: no more than the page is likely to take. */
  batchSize(max: number): number {
    if (this.#maxBytes === Number.POSITIVE_INFINITY) return max;
    if (this.#candidates === 0) return Math.min(firstBatch, max);
    const averageBytes = Math.max(1, this.#candidateBytes / this.#candidates);
    const wanted = Math.ceil((this.#maxBytes - this.#bytes) / averageBytes) + 1;
    return Math.max(1, Math.min(wanted, max));
  }
}
