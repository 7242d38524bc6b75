import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../command.ts';
import { limitWait } from '../landscape/limit-wait.ts';
import { reportProgress } from '../output/progress.ts';
import { operationFailure, remainderOf } from './operation-failure.ts';
import type { SmClient } from './sm-client.ts';
import type { SmOperation } from './sm-types.ts';

const firstPauseMs = 100;
const maxPauseMs = 2000;

export interface FollowOptions {
  readonly timeoutMs: number;
  /** Where progress is printed. */
  readonly progress: Output;
  /** How to see how far it is: a clause that begins with a command. Default: that of the operation. */
  readonly next?: string;
}

/** Follows an operation to its good end. Rejects with why it failed, or with `Timeout` or `Interrupted`. */
export async function followOperation(
  sm: SmClient,
  path: string,
  { timeoutMs, progress, next = `"npx chandlery operation get ${path} --wait" follows it` }: FollowOptions,
): Promise<SmOperation> {
  using limit = limitWait(timeoutMs);
  using report = reportProgress(progress);
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
      const operation = await sm.get<SmOperation>(path);
      const { state = '', description = '' } = operation;
      report(state, description);
      if (state === 'succeeded') return operation;
      if (state === 'failed') throw operationFailure(operation, await remainderOf(sm, operation));
      await sleep(pauseMs, undefined, { signal: limit.signal });
    }
  } catch (thrown) {
    throw limit.explain(thrown, { state: 'the operation has not ended', next });
  }
}
