import type { Output } from '../command.ts';

/** Returns a function that writes `state (3 s): reason` whenever one of both has changed. */
export function progressReporter(
  progress: Output,
  now: () => number = Date.now,
): (state: string, reason: string) => void {
  const begin = now();
  let last = '';
  return (state, reason) => {
    const text = reason === '' ? state : `${state}: ${reason}`;
    if (text === last) return;
    last = text;
    progress.write(`${state} (${Math.floor((now() - begin) / 1000)} s)${reason === '' ? '' : `: ${reason}`}\n`);
  };
}
