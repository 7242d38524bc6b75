const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** A signal that is aborted by SIGINT or SIGTERM. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** Listens for SIGINT and SIGTERM until disposed of; by then they end the process at once again. */
export function listenForStop(): StopSignal {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of stopSignals) process.once(name, onSignal);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      for (const name of stopSignals) process.off(name, onSignal);
    },
  };
}
