import { type DependencyList, useCallback, useEffect, useState } from 'react';

/** What a view knows of something that it reads once. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly reload: () => void;
}

/** Reads something when the view opens and when `dependencies` change. Values of an earlier read are not shown. */
export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Loaded<T> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{ readonly value?: T; readonly error?: unknown }>({});
  useEffect(() => {
    const stop = new AbortController();
    setState({});
    read(stop.signal).then(
      value => stop.signal.aborted || setState({ value }),
      (error: unknown) => stop.signal.aborted || setState({ error }),
    );
    return () => stop.abort();
  }, [...dependencies, count]);
  const reload = useCallback(() => setCount(before => before + 1), []);
  return { ...state, reload };
}
