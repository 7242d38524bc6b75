/** Work that runs beside the test until it is stopped, or until the test leaves its block in any way. */
export interface BackgroundWork extends AsyncDisposable {
  /** Asks the work to end and waits for that; rejects when a part of it has failed. */
  stop(): Promise<void>;
}

/** Starts work that ends soon after its signal is aborted. */
export function startWork(begin: (stop: AbortSignal) => readonly Promise<void>[]): BackgroundWork {
  const controller = new AbortController();
  const work = Promise.all(begin(controller.signal));
  // Reported by `stop`; a test that fails before it reports its own failure.
  work.catch(() => controller.abort());
  const stop = async (): Promise<void> => {
    controller.abort();
    await work;
  };
  return { stop, [Symbol.asyncDispose]: () => stop().catch(() => undefined) };
}
