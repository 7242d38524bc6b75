import type { Call } from '../call.ts';

/** Waits for the next change of the objects of a logical cluster. Counts from when it was made, until it is disposed of. */
export interface NextChange extends Disposable {
  /**
   * Resolves to true after a change, but not before a pause has ended, or when the time is up; to false when the client has
   * disconnected or the server stops.
   */
  within(timeoutMs: number, pauseMs: number): Promise<boolean>;
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
  if (host.stopping.aborted || reply.raw.destroyed) end();
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
  return {
    within: async (timeoutMs, pauseMs) => {
      const endsAt = performance.now() + timeoutMs;
      await Promise.race([changed.promise, wait(timeoutMs)]);
      // The pause ends with the time, so that the last look is not late.
      return Promise.race([ended.promise, wait(Math.min(pauseMs, Math.max(0, endsAt - performance.now())))]);
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      stopListening();
      reply.raw.off('close', end);
      host.stopping.removeEventListener('abort', end);
    },
  };
}
