/** Resolves when the tab can be seen, or when the signal aborts. */
export function untilVisible(signal: AbortSignal): Promise<void> {
  if (signal.aborted || document.visibilityState === 'visible') return Promise.resolve();
  return new Promise(resolve => {
    const done = (): void => {
      if (!signal.aborted && document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}

/** People switch between tabs: what is hidden for a moment continues. */
const graceMs = 10_000;

/** What a tab does only while it can be seen. */
export interface WhileVisible extends Disposable {
  /** Aborts when the outer signal does, or a while after the tab was hidden. */
  readonly signal: AbortSignal;
  /** Whether it was the tab. */
  readonly isHidden: () => boolean;
}

export function whileVisible(outer: AbortSignal): WhileVisible {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.visibilityState !== 'visible') timer = setTimeout(() => stop.abort(), graceMs);
  };
  onChange();
  document.addEventListener('visibilitychange', onChange);
  return {
    signal: AbortSignal.any([outer, stop.signal]),
    isHidden: () => stop.signal.aborted && !outer.aborted,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    },
  };
}
