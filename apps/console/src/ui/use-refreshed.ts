import { type DependencyList, useEffect, useState } from 'react';
import { connectionMark, isRefusal } from '../api/follow.ts';
import { untilVisible } from '../api/page-visibility.ts';

/** What takes long to read is read more rarely: reading takes at most this share of the time. */
const maxReadShare = 0.1;

/**
 * Reads something now and again after a time, while the tab can be seen. The last value stays until the next one; while the
 * landscape cannot be reached, the shell says so.
 */
export function useRefreshed<T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: DependencyList,
  intervalMs: number,
): { readonly value?: T; readonly error?: unknown } {
  const [state, setState] = useState<{ readonly value?: T; readonly error?: unknown }>({});
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasValue = false;
    const setLost = connectionMark();
    const refresh = async (): Promise<void> => {
      await untilVisible(stop.signal);
      const start = performance.now();
      try {
        const value = await read(stop.signal);
        setLost(false);
        hasValue = true;
        if (!stop.signal.aborted) setState({ value });
      } catch (error) {
        const isPassing = hasValue && !isRefusal(error);
        if (!stop.signal.aborted) setLost(isPassing);
        if (!stop.signal.aborted && !isPassing) setState(before => ({ ...before, error }));
      }
      const waitMs = Math.max(intervalMs, (performance.now() - start) / maxReadShare);
      if (!stop.signal.aborted) timer = setTimeout(() => void refresh(), waitMs);
    };
    setState({});
    void refresh();
    return () => {
      stop.abort();
      setLost(false);
      clearTimeout(timer);
    };
  }, [...dependencies, intervalMs]);
  return state;
}
