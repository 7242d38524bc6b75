/** Streams served before others in the process get their turn. */
const streamsPerBatch = 200;

/**
 * Streams that have something to be told, first come first served. One that is waiting already is not queued again: it
 * will be told everything at once. A push to very many streams is cut into turns, so that nobody waits for its end.
 */
export class PushQueue<Stream> {
  readonly #waiting = new Set<Stream>();
  readonly #beginBatch: () => (stream: Stream) => void;
  readonly #nextTick: (call: () => void) => void;
  #isServing = false;

  /** @param beginBatch returns what serves the streams of one turn */
  constructor(beginBatch: () => (stream: Stream) => void, nextTick: (call: () => void) => void) {
    this.#beginBatch = beginBatch;
    this.#nextTick = nextTick;
  }

  add(stream: Stream): void {
    this.#waiting.add(stream);
  }

  delete(stream: Stream): void {
    this.#waiting.delete(stream);
  }

  /** Serves who waits. Does nothing while that is going on. */
  run(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    this.#turn();
  }

  #turn(): void {
    const serve = this.#beginBatch();
    let served = 0;
    for (const stream of this.#waiting) {
      if (served++ === streamsPerBatch) return this.#nextTick(() => this.#turn());
      this.#waiting.delete(stream);
      serve(stream);
    }
    this.#isServing = false;
  }
}
