import { isRecord } from './json/json-values.ts';
import type { KubeObject } from './object.ts';
import { firstErrorIn } from './text/first-error.ts';

interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly ready?: boolean;
  readonly state?: {
    readonly terminated?: Terminated;
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** The containers in a pod's status. Kinds of tenants that are called Pod may hold anything there. */
export function containerStatusesOf(pod: KubeObject): readonly ContainerStatus[] {
  const found = (pod['status'] as { containerStatuses?: unknown } | null | undefined)?.containerStatuses;
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/**
 * How a container of a pod failed, with the first error of its termination message. A restarted container counts until
 * it is ready, so that the text is the same between restarts. Undefined when none failed.
 */
export function podFailure(pod: KubeObject): string | undefined {
  return containerStatusesOf(pod)
    .map(failureOf)
    .find(text => text !== undefined);
}

function failureOf({ ready = false, state, lastState }: ContainerStatus): string | undefined {
  const end = state?.terminated ?? lastState?.terminated;
  if (ready || !isRecord(end) || end.exitCode === 0) return undefined;
  const why = typeof end.message === 'string' ? firstErrorIn(end.message) : undefined;
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : `${end.reason}, `;
  return `its container failed (${reason}exit code ${end.exitCode})${why === undefined ? '' : `: ${why}`}`;
}
