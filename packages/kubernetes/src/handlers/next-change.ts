import type { Call } from '../call.ts';

/** Waits for the next change of the objects of a logical cluster. Counts from when it was made. */
export interface NextChange {
  /**
   * Resolves to true after a change, but not before a pause is over, or when the time is up; to false when the client is
   * gone. Ends the waiting.
   */
  within(timeoutMs: number, pauseMs: number): Promise<boolean>;
  stop(): void;
}

/** Notices changes of kinds other than `ignored`. */
export function nextChange(
  { kernel, home, reply }: Pick<Call, 'kernel' | 'home' | 'reply'>,
  ignored: ReadonlySet<string>,
): NextChange {
  const changed = Promise.withResolvers<boolean>();
  const onClose = (): void => changed.resolve(false);
  reply.raw.once('close', onClose);
  const stopListening = kernel.feed.listen({}, events => {
    if (events.some(({ change: { key } }) => key.cluster === home && !ignored.has(key.resource))) changed.resolve(true);
  });
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    stopListening();
    reply.raw.off('close', onClose);
  };
  const wait = (ms: number): Promise<boolean> =>
    new Promise(resolve => {
      timer = setTimeout(() => resolve(true), ms);
    });
  return {
    stop,
    within: async (timeoutMs, pauseMs) => {
      const closed = new Promise<boolean>(resolve => reply.raw.once('close', () => resolve(false)));
      try {
        await Promise.race([changed.promise, wait(timeoutMs)]);
        clearTimeout(timer);
        return !reply.raw.destroyed && (await Promise.race([wait(Math.min(pauseMs, Math.max(0, timeoutMs))), closed]));
      } finally {
        stop();
      }
    },
  };
}
