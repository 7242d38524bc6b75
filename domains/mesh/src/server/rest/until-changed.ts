import type { ResourceType } from '../../model/resource.ts';
import type { ProxyView } from '../../ports.ts';

export interface UntilChangedOptions {
  readonly type: ResourceType;
  /** What the client has. */
  readonly version: string;
  readonly waitMs: number;
  /** The client has closed. */
  readonly signal: AbortSignal;
  /** The view is not kept up to date any longer; lives longer than this wait. */
  readonly closed: AbortSignal;
}

/** Resolves when the view has another version of a type than the client, and at the latest when the time is over or the view has ended. */
export async function untilChanged(view: ProxyView, options: UntilChangedOptions): Promise<void> {
  const { type, version, waitMs, signal, closed } = options;
  if (view.version(type) !== version || signal.aborted || closed.aborted) return;
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, waitMs).unref();
    const unsubscribe = view.subscribe(() => {
      if (view.version(type) !== version) done();
    });
    signal.addEventListener('abort', done);
    closed.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', done);
      closed.removeEventListener('abort', done);
      resolve();
    }
  });
}
