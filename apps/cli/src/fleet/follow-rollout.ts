import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type FleetRollout, fleetKinds } from '@chandlery/fleet/kinds';
import { followObject } from '../landscape/follow-object.ts';
import { limitWait } from '../landscape/limit-wait.ts';
import { reportProgress } from '../output/progress.ts';
import type { WaitOptions } from './follow-instance.ts';
import { phaseOf } from './render-rollout.ts';

/** Phases that a rollout never leaves. */
export const endPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Aborted']);

/** The rollout of a name. Rejects with `NotFound`. */
export async function findRollout(client: Client, name: string): Promise<FleetRollout> {
  try {
    return await client.get<FleetRollout>({ ...fleetKinds.rollouts.ref, name });
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
    throw new ChandleryError('NotFound', `there is no rollout "${name}"`, {
      hint: 'See what there is with "npx chandlery fleet rollout status".',
      cause: thrown,
    });
  }
}

/** Waits until a rollout has succeeded. Rejects with `RolloutStopped` when it stops in any other way, and with `Timeout` or `Interrupted`. */
export async function untilFinished(client: Client, rollout: FleetRollout, wait: WaitOptions): Promise<FleetRollout> {
  const name = rollout.metadata.name ?? '';
  using limit = limitWait(wait.timeoutMs);
  const { signal } = limit;
  using report = reportProgress(wait.progress);
  let last: FleetRollout | undefined = rollout;
  const isDone = (found: FleetRollout | undefined): boolean => {
    last = found;
    if (found !== undefined) report(phaseOf(found), progressOf(found));
    return found === undefined || phaseOf(found) === 'Paused' || endPhases.has(phaseOf(found));
  };
  try {
    await followObject<FleetRollout>(client, { ...fleetKinds.rollouts.ref, name }, { signal, isDone });
  } catch (thrown) {
    const next = `"npx chandlery fleet rollout status ${name} --wait" follows it`;
    throw limit.explain(thrown, { state: 'it has not ended', next });
  }
  if (last === undefined) throw new ChandleryError('NotFound', 'it was deleted before it had ended');
  if (phaseOf(last) !== 'Succeeded') throw stopped(last, name);
  return last;
}

function progressOf({ status }: FleetRollout): string {
  const counts = status?.total === undefined ? '' : `${status.upgraded ?? 0} of ${status.total} upgraded`;
  return [counts, status?.message ?? ''].filter(text => text !== '').join('; ');
}

const stopped = (rollout: FleetRollout, name: string): ChandleryError =>
  new ChandleryError(
    'RolloutStopped',
    `its phase is ${phaseOf(rollout)}: ${rollout.status?.message ?? 'no reason given'}`,
    {
      hint: `"npx chandlery fleet rollout status ${name}" shows the instances; resume continues it, abort takes the wave back.`,
    },
  );
