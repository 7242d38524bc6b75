import { conditionsOf, findCondition } from './conditions.ts';
import type { KubeObject } from './object.ts';
import { containerStatusesOf, podFailure } from './pod-failure.ts';

/** The states of objects, whatever their kind; the worst first. */
export const objectStates = ['failed', 'deleting', 'waiting', 'exists', 'ready'] as const;

/** One of {@link objectStates}; `exists`: the object says nothing of its state. */
export type ObjectState = (typeof objectStates)[number];

/** The state of an object and why it is not ready. */
export interface Situation {
  readonly state: ObjectState;
  readonly reason?: string;
  readonly message?: string;
}

/** The state of an object, from its conditions, phase or other common status fields. */
export function situationOf(object: KubeObject): Situation {
  if (object.metadata.deletionTimestamp !== undefined) return { state: 'deleting', ...blockersOf(object) };
  return (
    ofPod(object) ??
    ofConditions(object) ??
    ofPhase(object) ??
    ofOrder(object) ??
    ofReady(object) ?? { state: 'exists' }
  );
}

function blockersOf(object: KubeObject): { readonly message?: string } {
  const blocking = conditionsOf(object).find(({ status, message = '' }) => status !== 'Unknown' && message !== '');
  if (blocking?.message !== undefined) return { message: blocking.message };
  const { finalizers = [] } = object.metadata;
  return finalizers.length === 0 ? {} : { message: `waits for ${finalizers.join(', ')}` };
}

/** Conditions that summarise others, in order of preference. */
const summaries = ['Ready', 'Available', 'Established', 'Complete', 'Initialized'];

function ofConditions(object: KubeObject): Situation | undefined {
  const failed = findCondition(object, 'Failed');
  if (failed?.status === 'True') return { state: 'failed', ...wordsOf(failed) };
  const summary = summaries.map(type => findCondition(object, type)).find(condition => condition !== undefined);
  if (summary === undefined) return undefined;
  if (summary.status === 'True') return { state: 'ready' };
  const { phase } = (object['status'] ?? {}) as { phase?: unknown };
  return {
    state: phase === 'Failed' || /error|fail|denied|conflict/i.test(summary.reason ?? '') ? 'failed' : 'waiting',
    ...wordsOf(summary),
  };
}

const wordsOf = ({ reason, message }: { readonly reason?: string; readonly message?: string }) => ({
  ...(reason ? { reason } : {}),
  ...(message ? { message } : {}),
});

/** What was aborted on request is neither good nor bad, as an order that was cancelled. */
const abortedPhase = 'Aborted';

const goodPhases = ['Ready', 'Granted', 'Active', 'Running', 'Succeeded', 'Bound'];

function ofPhase(object: KubeObject): Situation | undefined {
  const { phase, startedAt, message } = (object['status'] ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof phase !== 'string' || phase === '') return undefined;
  // What has a start runs towards its end, as Workflows do; what has none is meant to run.
  const isUnderWay = phase === 'Running' && typeof startedAt === 'string';
  if (goodPhases.includes(phase) && !isUnderWay) return { state: 'ready' };
  if (phase === abortedPhase) return { state: 'exists', reason: phase };
  const isFailed = /fail|denied|error/i.test(phase);
  return {
    state: isFailed ? 'failed' : 'waiting',
    reason: phase,
    ...(isFailed && typeof message === 'string' && message !== '' && { message }),
  };
}

/** What has been made over another API than Kubernetes' has a field in place of a condition; false may mean anything. */
const ofReady = (object: KubeObject): Situation | undefined =>
  ((object['status'] ?? {}) as { ready?: unknown }).ready === true ? { state: 'ready' } : undefined;

const failedOrders = ['failed', 'error', 'unknown'];
const openOrders = ['pending', 'scheduled', 'executing', 'cancelling'];

/** The state of an order, which has a status instead of a phase. One that was cancelled is neither good nor bad. */
function ofOrder(object: KubeObject): Situation | undefined {
  const { status, errorMessage } = (object['status'] ?? {}) as Readonly<Record<string, unknown>>;
  if (status === 'succeeded') return { state: 'ready' };
  if (status === 'cancelled') return { state: 'exists', reason: status };
  if (typeof status !== 'string') return undefined;
  if (failedOrders.includes(status))
    return { state: 'failed', reason: status, ...(typeof errorMessage === 'string' && { message: errorMessage }) };
  return openOrders.includes(status) ? { state: 'waiting', reason: status } : undefined;
}

/** The state of a pod, from its containers. Other groups may have a kind of that name. */
function ofPod(object: KubeObject): Situation | undefined {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1') return undefined;
  const { phase } = (object['status'] ?? {}) as { phase?: string };
  if (phase === 'Succeeded') return { state: 'ready', reason: 'Succeeded' };
  const waiting = containerStatusesOf(object)
    .map(({ state }) => state?.waiting)
    .find(state => state?.reason !== undefined);
  const message = podFailure(object);
  if (message !== undefined) return { state: 'failed', reason: waiting?.reason ?? 'Error', message };
  if (waiting === undefined || waiting.reason === 'ContainerCreating') return undefined;
  return { state: 'failed', ...wordsOf(waiting) };
}
