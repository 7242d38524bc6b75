import type { Output } from '../command.ts';

/** Reports the state of what is waited for, and why it is not there yet. Stops with its disposal. */
export interface Progress extends Disposable {
  (state: string, reason: string): void;
}

export interface ProgressOptions {
  /** Nothing is written before: what is done at once needs no words. Default 0. */
  readonly quietMs?: number;
  /** Default `Date.now`. */
  readonly now?: () => number;
}

/** For waits that are usually short. */
export const shortWait: ProgressOptions = { quietMs: 2000 };

const tickMs = 1000;
/** How often a state that does not change is written again where no line can be replaced. */
const repeatMs = 15_000;

/**
 * Writes `state (3 s): reason` whenever one of both has changed. The seconds of the last line are kept up to date: in
 * place on a terminal, elsewhere by another line now and then.
 */
export function reportProgress(output: Output, { quietMs = 0, now = Date.now }: ProgressOptions = {}): Progress {
  const begin = now();
  let wanted: Report | undefined;
  let written: Report | undefined;
  let writtenAt = begin;
  const write = (report: Report): void => {
    const line = lineOf(report, now() - begin);
    const isSame = report === written;
    output.write(isSame && canReplace(output, line) ? `\u001b[1A\r\u001b[2K${line}\n` : `${line}\n`);
    [written, writtenAt] = [report, now()];
  };
  const onTick = (): void => {
    if (wanted === undefined || now() - begin < quietMs) return;
    const isDue = wanted !== written || now() - writtenAt >= repeatMs;
    if (isDue || canReplace(output, lineOf(wanted, now() - begin))) write(wanted);
  };
  const timer = setInterval(onTick, tickMs).unref();
  const report = (state: string, reason: string): void => {
    if (wanted?.state === state && wanted.reason === reason) return;
    wanted = { state, reason };
    if (now() - begin >= quietMs) write(wanted);
  };
  return Object.assign(report, { [Symbol.dispose]: () => clearInterval(timer) });
}

interface Report {
  readonly state: string;
  readonly reason: string;
}

const lineOf = ({ state, reason }: Report, ms: number): string =>
  `${state} (${Math.floor(ms / 1000)} s)${reason === '' ? '' : `: ${reason}`}`;

/** A line that the terminal has wrapped cannot be replaced as one. */
const canReplace = ({ isTTY, columns = 80 }: Output, line: string): boolean => isTTY === true && line.length < columns;
