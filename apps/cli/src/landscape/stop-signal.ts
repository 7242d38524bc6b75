import type { Io } from '../command.ts';
import { exitCodes } from '../output/report-error.ts';

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** What a terminal sends for Ctrl-C while keys are read. */
const ctrlC = '\u0003';

/** A signal that is aborted by SIGINT or SIGTERM. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
  /** The exit code of a command that shows something until it is stopped: 130 once it was interrupted, otherwise 0. */
  readonly exitCode: number;
}

/**
 * Listens for SIGINT and SIGTERM until disposed of; by then they end the process at once again. Where keys can be read, `q`
 * stops too, which is no interruption.
 */
export function listenForStop({ onKey }: Pick<Io, 'onKey'> = {}): StopSignal {
  const stop = new AbortController();
  let exitCode: number = exitCodes.ok;
  const onSignal = (): void => {
    exitCode = exitCodes.interrupted;
    stop.abort();
  };
  for (const name of stopSignals) process.once(name, onSignal);
  const keys = onKey?.(key => {
    if (key === ctrlC) onSignal();
    if (key === 'q') stop.abort();
  });
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => {
      keys?.[Symbol.dispose]();
      for (const name of stopSignals) process.off(name, onSignal);
    },
  };
}
