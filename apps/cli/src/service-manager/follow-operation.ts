import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Output } from '../command.ts';
import { operationFailure, remainderOf } from './operation-failure.ts';
import type { SmClient } from './sm-client.ts';
import type { SmOperation } from './sm-types.ts';

const firstPauseMs = 100;
const maxPauseMs = 2000;
/** So often a line is written even when nothing has changed. */
const progressIntervalMs = 15_000;

export interface FollowOptions {
  readonly timeoutMs: number;
  /** Where progress is printed. */
  readonly progress: Output;
}

/** Follows an operation to its good end. Rejects with why it failed, or with `Timeout`. */
export async function followOperation(
  sm: SmClient,
  path: string,
  { timeoutMs, progress }: FollowOptions,
): Promise<SmOperation> {
  const begin = Date.now();
  const printProgress = progressPrinter(progress, begin);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const operation = await sm.get<SmOperation>(path);
    printProgress(operation);
    if (operation.state === 'succeeded') return operation;
    if (operation.state === 'failed') throw operationFailure(operation, await remainderOf(sm, operation));
    if (Date.now() - begin >= timeoutMs) throw tooLong(path, timeoutMs);
    await sleep(Math.min(pauseMs, timeoutMs));
  }
}

/** Writes `in progress (3 s): description` whenever it changes, and now and then. */
function progressPrinter(progress: Output, begin: number): (operation: SmOperation) => void {
  let printed = '';
  let printedAt = begin;
  return ({ state = '', description = '' }) => {
    const now = Date.now();
    const line = `${state}: ${description}`;
    if (line === printed && now - printedAt < progressIntervalMs) return;
    const seconds = Math.floor((now - begin) / 1000);
    progress.write(`${state} (${seconds} s)${description === '' ? '' : `: ${description}`}\n`);
    printed = line;
    printedAt = now;
  };
}

const tooLong = (path: string, timeoutMs: number): ChandleryError =>
  new ChandleryError('Timeout', `the operation has not ended after ${timeoutMs / 1000} s`, {
    hint: `It is still in progress: "npx chandlery operation get ${path} --wait" follows it.`,
  });
