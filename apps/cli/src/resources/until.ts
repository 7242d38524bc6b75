import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { conditionsOf } from '@chandlery/runtime';
import type { Output } from '../command.ts';
import { followObject } from '../landscape/follow-object.ts';
import { limitWait } from '../landscape/limit-wait.ts';
import { reportProgress, shortWait } from '../output/progress.ts';

/** What is waited for, and for whom. */
export interface Waiting {
  readonly isDone: (object: KubeObject | undefined) => boolean;
  readonly timeoutMs: number;
  /** Where states are reported when it takes longer. */
  readonly progress: Output;
  /** What it is while it is not done: a clause, such as "it is still there". */
  readonly state: string;
  /** Why it is not done yet. */
  readonly reasonOf: (object: KubeObject | undefined) => string;
  /** The object as people say it: `project/acme`. */
  readonly label: string;
  /** The logical cluster, if the command line names one. */
  readonly cluster: string | undefined;
}

/** Follows an object until `isDone`. Rejects with `Timeout` and `Interrupted`, which say why it is not done. */
export async function until(client: Client, ref: ObjectRef, waiting: Waiting): Promise<void> {
  const { timeoutMs, progress, state, reasonOf, label, cluster } = waiting;
  using limit = limitWait(timeoutMs);
  using report = reportProgress(progress, shortWait);
  let last: KubeObject | undefined;
  const isDone = (object: KubeObject | undefined): boolean => {
    last = object;
    if (waiting.isDone(object)) return true;
    report(`waiting for ${label}`, reasonOf(object));
    return false;
  };
  try {
    await followObject(client, ref, { isDone, signal: limit.signal });
  } catch (thrown) {
    const inNamespace = ref.namespace === undefined ? '' : ` -n ${ref.namespace}`;
    const onCluster = cluster === undefined ? '' : ` --cluster ${cluster}`;
    const next = `"npx chandlery describe ${label}${inNamespace}${onCluster}" says how far it is`;
    throw limit.explain(thrown, { state, reason: reasonOf(last), next });
  }
}

interface Deletion extends Pick<Waiting, 'timeoutMs' | 'progress' | 'label' | 'cluster'> {
  /** The uid of the deleted object; another one of the same name is not waited for. */
  readonly uid?: string | undefined;
}

/** Waits until an object is deleted. */
export const untilDeleted = (client: Client, ref: ObjectRef, { uid, ...waiting }: Deletion): Promise<void> =>
  until(client, ref, {
    ...waiting,
    isDone: object => object === undefined || (uid !== undefined && object.metadata.uid !== uid),
    state: 'it is still there',
    reasonOf: whatBlocks,
  });

/** Why an object is not ready; empty when it does not say. */
export function notReady(object: KubeObject | undefined): string {
  const { reason = '', message = '' } = readyOf(object) ?? {};
  return message === '' ? reason : message;
}

const readyOf = (object: KubeObject | undefined) =>
  object === undefined ? undefined : conditionsOf(object).find(({ type }) => type === 'Ready');

/** What keeps an object from being deleted: what a condition says about it, or its finalizers. */
function whatBlocks(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const blocking = conditionsOf(object).find(
    ({ type, status, message = '' }) => status === 'True' && message !== '' && /Remain|Blocked|Failure/.test(type),
  );
  if (blocking !== undefined) return blocking.message ?? '';
  const { finalizers = [] } = object.metadata;
  const ready = readyOf(object);
  const message = ready?.status === 'False' ? (ready.message ?? '') : '';
  return message === '' && finalizers.length > 0 ? `finalizers: ${finalizers.join(', ')}` : message;
}
