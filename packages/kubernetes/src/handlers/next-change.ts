import type { Call } from '../call.ts';

/** Waits for the next change of the objects of a logical cluster. Counts from when it was made. */
export interface NextChange {
  /**
   * Resolves to true after a change, but not before a pause has ended, or when the time is up; to false when the client has
   * disconnected or the server stops. Ends the waiting.
   */
  within(timeoutMs: number, pauseMs: number): Promise<boolean>;
  stop(): void;
}

type Waiting = Pick<Call, 'kernel' | 'home' | 'reply' | 'host'>;

/** Notices changes of kinds other than `ignored`. */
export function nextChange({ kernel, home, reply, host }: Waiting, ignored: ReadonlySet<string>): NextChange {
  const changed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean>();
  const end = (): void => {
    changed.resolve();
    ended.resolve(false);
  };
  reply.raw.once('close', end);
  host.stopping.addEventListener('abort', end);
  if (host.stopping.aborted) end();
  const stopListening = kernel.feed.listen({}, events => {
    if (events.some(({ change: { key } }) => key.cluster === home && !ignored.has(key.resource))) changed.resolve();
  });
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): Promise<boolean> => {
    clearTimeout(timer);
    return new Promise(resolve => {
      timer = setTimeout(() => resolve(true), ms);
    });
  };
  const stop = (): void => {
    clearTimeout(timer);
    stopListening();
    reply.raw.off('close', end);
    host.stopping.removeEventListener('abort', end);
  };
  return {
    stop,
    within: async (timeoutMs, pauseMs) => {
      const endsAt = performance.now() + timeoutMs;
      try {
        await Promise.race([changed.promise, wait(timeoutMs)]);
        // The pause ends with the time, so that the last look is not late.
        return await Promise.race([ended.promise, wait(Math.min(pauseMs, Math.max(0, endsAt - performance.now())))]);
      } finally {
        stop();
      }
    },
  };
}
