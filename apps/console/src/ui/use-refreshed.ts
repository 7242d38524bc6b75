import { type DependencyList, useEffect, useState } from 'react';

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
      try {
        if (document.visibilityState === 'visible') {
          const value = await read(stop.signal);
          if (!stop.signal.aborted) setState({ value });
        }
      } catch (error) {
        if (!stop.signal.aborted) setState(before => ({ ...before, error }));
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void refresh(), intervalMs);
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
