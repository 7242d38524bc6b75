import type { KubeObject } from '@chandlery/api';
import type { InternalProgress } from '@chandlery/brokers/kinds';
import { findCondition, isConditionTrue, isDeleting } from '@chandlery/runtime';

/** Reasons of `Ready` that only a change resolves. */
const finalReasons: readonly string[] = ['UserError', 'Failed'];
/** Phases of failure, for providers without conditions. */
const finalPhases: readonly string[] = ['Failed', 'Error'];

interface Status {
  readonly observedGeneration?: number;
  readonly phase?: string;
}

/** The progress of an instance, from its provider's status for the latest generation. */
export function progressOf(object: KubeObject | undefined): InternalProgress {
  if (object === undefined) return { state: 'gone' };
  if (isDeleting(object)) return { state: 'in progress', ...described(deletionMessage(object)) };
  if (!isCurrent(object)) return { state: 'in progress', description: 'The provider has not reconciled it yet.' };
  if (isConditionTrue(object, 'Ready')) return { state: 'succeeded' };
  return { state: hasFailed(object) ? 'failed' : 'in progress', ...described(findCondition(object, 'Ready')?.message) };
}

const statusOf = (object: KubeObject): Status => object['status'] ?? {};

/** Some providers state the generation only in the condition, or for the whole status. */
function isCurrent(object: KubeObject): boolean {
  const { generation } = object.metadata;
  const ready = findCondition(object, 'Ready');
  const observed = [statusOf(object).observedGeneration, ready?.observedGeneration].filter(seen => seen !== undefined);
  return (ready !== undefined || observed.length > 0) && observed.every(seen => seen === generation);
}

function hasFailed(object: KubeObject): boolean {
  const ready = findCondition(object, 'Ready');
  if (ready?.status === 'False' && finalReasons.includes(ready.reason ?? '')) return true;
  if (findCondition(object, 'Synced')?.reason === 'TerminalError') return true;
  return finalPhases.includes(statusOf(object).phase ?? '');
}

const deletionMessage = (object: KubeObject): string | undefined =>
  isConditionTrue(object, 'DeletionBlocked')
    ? findCondition(object, 'DeletionBlocked')?.message
    : findCondition(object, 'Ready')?.message;

const described = (message: string | undefined): { description?: string } =>
  message === undefined || message === '' ? {} : { description: message };
