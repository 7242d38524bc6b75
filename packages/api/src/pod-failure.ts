import type { KubeObject } from './object.ts';
import { firstErrorIn } from './text/first-error.ts';

interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly ready?: boolean;
  readonly state?: { readonly terminated?: Terminated };
  readonly lastState?: { readonly terminated?: Terminated };
}

/**
 * How a container of a pod failed, with the first error of its termination message. A restarted container counts until
 * it is ready, so that the text is the same between restarts. Undefined when none failed.
 */
export function podFailure(pod: KubeObject): string | undefined {
  const { containerStatuses = [] } = (pod['status'] ?? {}) as { containerStatuses?: readonly ContainerStatus[] };
  return containerStatuses.map(failureOf).find(text => text !== undefined);
}

function failureOf({ ready = false, state, lastState }: ContainerStatus): string | undefined {
  const end = state?.terminated ?? lastState?.terminated;
  if (ready || end === undefined || end.exitCode === 0) return undefined;
  const why = firstErrorIn(end.message ?? '');
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : `${end.reason}, `;
  return `its container failed (${reason}exit code ${end.exitCode})${why === undefined ? '' : `: ${why}`}`;
}
