import { createStore } from '../ui/store.ts';
import { ApiFailure } from './api-failure.ts';
import { untilVisible, whileVisible } from './page-visibility.ts';
import { type WatchEvent, watchEvents } from './watch.ts';

/** How many watches of the page have lost their connection; the shell shows it. */
export const lostConnections = createStore(0);

/** How many views of the page may no longer be followed; the shell shows it. */
export const endedFollows = createStore(0);

/** The mark of one connection: counts it while it is lost. */
export function connectionMark(): (isLost: boolean) => void {
  let wasLost = false;
  return isLost => {
    if (isLost !== wasLost) lostConnections.set(lostConnections.get() + (isLost ? 1 : -1));
    wasLost = isLost;
  };
}

/** Whether the landscape has refused a request, so that the same request would be refused again. */
export const isRefusal = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429;

export interface FollowOptions<T> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Reads the present state and returns its revision; rejects when it cannot be read. */
  readonly load: () => Promise<string>;
  /** Gets all events of about a quarter of a second at once. */
  readonly onEvents: (events: readonly WatchEvent<T>[]) => void;
  /** Called when the first load fails, or one after it for another reason than the connection. */
  readonly onFailure: (error: unknown) => void;
}

/** Four updates of a view per second are as many as people can read. */
const coalesceMs = 250;
const minRetryMs = 500;
const maxRetryMs = 15_000;

interface WithRevision {
  readonly metadata?: { readonly resourceVersion?: string };
}

/**
 * Keeps a view true: reads the state, follows its changes, resumes from the last revision when the connection is lost,
 * and reads the state again when history has been compacted. Does nothing while the tab is hidden. Runs until the signal
 * aborts.
 */
export async function follow<T extends WithRevision>(options: FollowOptions<T>): Promise<void> {
  const { signal, load, onFailure } = options;
  let revision: string | undefined;
  let retryMs = minRetryMs;
  let hasLoaded = false;
  const setLost = connectionMark();
  while (!signal.aborted) {
    await untilVisible(signal);
    using visible = whileVisible(signal);
    try {
      revision ??= await load();
      hasLoaded = true;
      setLost(false);
      revision = await watchOnce({ ...options, signal: visible.signal }, revision);
      retryMs = minRetryMs;
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof Interruption) revision = error.revision;
      if (visible.isHidden()) continue;
      const cause = error instanceof Interruption ? error.cause : error;
      if (cause instanceof ApiFailure && cause.status === 410) {
        revision = undefined;
        await pause(minRetryMs, signal);
        continue;
      }
      if (isRefusal(cause)) {
        if (hasLoaded) markEnded(signal);
        onFailure(cause);
        break;
      }
      setLost(true);
      await pause(retryMs, signal);
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    }
  }
  setLost(false);
}

/** What was shown is still there, and may become old until the view is closed. */
function markEnded(signal: AbortSignal): void {
  endedFollows.set(endedFollows.get() + 1);
  signal.addEventListener('abort', () => endedFollows.set(endedFollows.get() - 1), { once: true });
}

/** A watch that broke, and how far it had come. */
class Interruption extends Error {
  readonly revision: string;

  constructor(revision: string, cause: unknown) {
    super('the watch was interrupted', { cause });
    this.revision = revision;
  }
}

/** Follows one watch to its end and returns the revision that it has reached. */
async function watchOnce<T extends WithRevision>(options: FollowOptions<T>, from: string): Promise<string> {
  const { path, query, headers, signal, onEvents } = options;
  let revision = from;
  let waiting: WatchEvent<T>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deliver = (): void => {
    timer = undefined;
    const events = waiting;
    waiting = [];
    if (!signal.aborted && events.length > 0) onEvents(events);
  };
  try {
    for await (const event of watchEvents<T>(path, {
      resourceVersion: from,
      signal,
      ...(query && { query }),
      ...(headers && { headers }),
    })) {
      revision = revisionOf(event.object) ?? revision;
      if (event.type === 'BOOKMARK') continue;
      waiting.push(event);
      timer ??= setTimeout(deliver, coalesceMs);
    }
  } catch (cause) {
    throw new Interruption(revision, cause);
  } finally {
    clearTimeout(timer);
    deliver();
  }
  return revision;
}

/** Of an object, or of the only row of a table. */
function revisionOf(object: WithRevision): string | undefined {
  const { rows } = object as { rows?: readonly { object?: WithRevision }[] };
  return (rows?.[0]?.object ?? object).metadata?.resourceVersion;
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
