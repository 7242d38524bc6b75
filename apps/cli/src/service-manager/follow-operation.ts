import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Output } from '../command.ts';
import { operationFailure, remainderOf } from './operation-failure.ts';
import type { SmClient } from './sm-client.ts';
import type { SmOperation } from './sm-types.ts';

const firstPauseMs = 100;
const longestPauseMs = 2000;
/** So often a line is written even when nothing has changed. */
const tellEveryMs = 15_000;

export interface FollowOptions {
  readonly timeoutMs: number;
  /** Where it is told how the operation goes. */
  readonly progress: Output;
}

/** Follows an operation to its good end. Rejects with why it failed, or with `Timeout`. */
export async function followOperation(
  sm: SmClient,
  path: string,
  { timeoutMs, progress }: FollowOptions,
): Promise<SmOperation> {
  const begin = Date.now();
  const tell = teller(progress, begin);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const operation = await sm.get<SmOperation>(path);
    tell(operation);
    if (operation.state === 'succeeded') return operation;
    if (operation.state === 'failed') throw operationFailure(operation, await remainderOf(sm, operation));
    if (Date.now() - begin >= timeoutMs) throw tooLong(path, timeoutMs);
    await sleep(Math.min(pauseMs, timeoutMs));
  }
}

/** Writes `in progress (3 s): description` whenever it changes, and now and then. */
function teller(progress: Output, begin: number): (operation: SmOperation) => void {
  let told = '';
  let toldAt = begin;
  return ({ state = '', description = '' }) => {
    const now = Date.now();
    const news = `${state}: ${description}`;
    if (news === told && now - toldAt < tellEveryMs) return;
    const seconds = Math.floor((now - begin) / 1000);
    progress.write(`${state} (${seconds} s)${description === '' ? '' : `: ${description}`}\n`);
    told = news;
    toldAt = now;
  };
}

const tooLong = (path: string, timeoutMs: number): ChandleryError =>
  new ChandleryError('Timeout', `the operation has not ended after ${timeoutMs / 1000} s`, {
    hint: `It goes on: "npx chandlery status ${path} --wait" follows it.`,
  });
