import { type DependencyList, useEffect, useState } from 'react';

/** What takes long to read is read more rarely: reading takes at most this share of the time. */
const maxReadShare = 0.1;

/** Reads something now and again after a time, while the tab can be seen. The last value stays until the next. */
export function useRefreshed<T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: DependencyList,
  intervalMs: number,
): { readonly value?: T; readonly error?: unknown } {
  const [state, setState] = useState<{ readonly value?: T; readonly error?: unknown }>({});
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async (): Promise<void> => {
      const start = performance.now();
      try {
        if (document.visibilityState === 'visible') {
          const value = await read(stop.signal);
          if (!stop.signal.aborted) setState({ value });
        }
      } catch (error) {
        if (!stop.signal.aborted) setState(before => ({ ...before, error }));
      }
      const waitMs = Math.max(intervalMs, (performance.now() - start) / maxReadShare);
      if (!stop.signal.aborted) timer = setTimeout(() => void refresh(), waitMs);
    };
    setState({});
    void refresh();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [...dependencies, intervalMs]);
  return state;
}
