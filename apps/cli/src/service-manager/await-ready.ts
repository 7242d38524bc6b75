import { setTimeout as sleep } from 'node:timers/promises';
import { limitWait } from '../landscape/limit-wait.ts';
import { reportProgress } from '../output/progress.ts';
import type { FollowOptions } from './follow-operation.ts';
import type { SmObject } from './sm-types.ts';

const pauseMs = 500;

/**
 * Waits until an instance takes bindings. A service that runs all the time has no operation that could be followed. An
 * instance whose creation has failed is not waited for: the service manager rejects the binding with the reason.
 */
export async function awaitReady(
  instance: SmObject,
  read: (id: string) => Promise<SmObject>,
  { timeoutMs, progress }: Pick<FollowOptions, 'timeoutMs' | 'progress'>,
): Promise<void> {
  if (!isPending(instance)) return;
  using limit = limitWait(timeoutMs);
  using report = reportProgress(progress);
  try {
    for (let current = instance; isPending(current); current = await read(instance.id)) {
      report('waiting for the service instance', '');
      await sleep(pauseMs, undefined, { signal: limit.signal });
    }
  } catch (thrown) {
    const next = `"npx chandlery instance get ${instance.name ?? instance.id}" shows it`;
    throw limit.explain(thrown, { state: 'the service instance is not ready', next });
  }
}

const isPending = ({ ready, last_operation: last }: SmObject): boolean => ready === false && last?.state !== 'failed';
