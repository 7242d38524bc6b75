import { ChandleryError } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { type FleetInstance, fleetKinds } from '@chandlery/fleet/kinds';
import type { Output } from '../command.ts';
import { followObject } from '../landscape/follow-object.ts';
import { limitWait, type WaitProgress } from '../landscape/limit-wait.ts';
import { reportProgress } from '../output/progress.ts';
import { displayName } from './fleet-objects.ts';

export interface WaitOptions {
  readonly timeoutMs: number;
  /** Where states are reported as they change. */
  readonly progress: Output;
}

/** Waits until an instance is ready. Rejects with `InstanceFailed`, `NotFound` when it is deleted, `Timeout` and `Interrupted`. */
export async function untilReady(client: Client, instance: FleetInstance, wait: WaitOptions): Promise<FleetInstance> {
  const last = await follow(client, instance, wait, object =>
    ['ready', 'failed'].includes(object?.status?.state ?? ''),
  );
  if (last === undefined) throw new ChandleryError('NotFound', 'it was deleted before it was ready');
  if (last.status?.state === 'ready') return last;
  throw new ChandleryError('InstanceFailed', `it has failed: ${last.status?.failedReason ?? 'it does not say why'}`, {
    hint: `"npx chandlery fleet explain ${displayName(last)}" says more; "npx chandlery fleet instance delete ${displayName(last)}" removes it.`,
  });
}

/** Waits until an instance is deleted. Rejects with `Timeout` and `Interrupted`. */
export async function untilGone(client: Client, instance: FleetInstance, wait: WaitOptions): Promise<void> {
  await follow(client, instance, wait, object => object === undefined);
}

async function follow(
  client: Client,
  instance: FleetInstance,
  { timeoutMs, progress }: WaitOptions,
  isEnd: (object: FleetInstance | undefined) => boolean,
): Promise<FleetInstance | undefined> {
  const { uid } = instance.metadata;
  using limit = limitWait(timeoutMs);
  const { signal } = limit;
  using report = reportProgress(progress);
  let last: FleetInstance | undefined = instance;
  const isDone = (found: FleetInstance | undefined): boolean => {
    // Another instance of the same id is not followed.
    last = found?.metadata.uid === uid ? found : undefined;
    if (last !== undefined) report(last.status?.state ?? 'not admitted yet', reasonOf(last));
    return last === undefined || isEnd(last);
  };
  try {
    await followObject<FleetInstance>(client, refOf(instance), { signal, isDone });
  } catch (thrown) {
    throw limit.explain(thrown, progressOf(last));
  }
  return last;
}

const refOf = ({ metadata: { namespace = '', name = '' } }: FleetInstance): ObjectRef => ({
  ...fleetKinds.instances.ref,
  namespace,
  name,
});

/** Why an instance is not ready, as far as its conditions say. */
export function reasonOf({ status }: FleetInstance): string {
  if (status?.state === 'ready') return '';
  const conditions = (status?.conditions ?? []).filter(({ status: is, message }) => is === 'False' && message);
  const specific = conditions.find(({ type }) => type !== 'Ready') ?? conditions[0];
  return specific?.message ?? '';
}

const progressOf = (last: FleetInstance | undefined): WaitProgress => ({
  state: `its state is ${last?.status?.state ?? 'not admitted yet'}`,
  reason: last === undefined ? '' : reasonOf(last),
  next: `"npx chandlery fleet explain ${last === undefined ? 'INSTANCE' : displayName(last)}" says how far it is`,
});
