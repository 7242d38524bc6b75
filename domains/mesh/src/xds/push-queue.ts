/** Number of streams that are served before the event loop continues. */
const streamsPerBatch = 200;

/**
 * FIFO queue of streams with pending responses. A queued stream is not added again: all its changes are sent together.
 * A push to many streams is divided into batches, so that other work of the process is not delayed.
 */
export class PushQueue<Stream> {
  readonly #waiting = new Set<Stream>();
  readonly #beginBatch: () => (stream: Stream) => void;
  readonly #nextTick: (call: () => void) => void;
  #isServing = false;

  /** @param beginBatch returns a function that serves the streams of one batch */
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

  /** Serves all queued streams. Has no effect while it is running. */
  run(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    this.#runBatch();
  }

  #runBatch(): void {
    const serve = this.#beginBatch();
    let served = 0;
    for (const stream of this.#waiting) {
      if (served++ === streamsPerBatch) return this.#nextTick(() => this.#runBatch());
      this.#waiting.delete(stream);
      serve(stream);
    }
    this.#isServing = false;
  }
}
