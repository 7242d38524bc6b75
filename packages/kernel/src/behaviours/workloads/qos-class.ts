import { tryParseQuantity } from '@chandlery/api';
import type { Container, PodSpec } from './objects.ts';

const counted = ['cpu', 'memory'] as const;

/** How much a node must do for a pod when resources run short. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/**
 * The quality-of-service class of a pod: Guaranteed when every container asks for just what it is limited to,
 * BestEffort when none asks for anything.
 */
export function qosClassOf(spec: PodSpec | undefined): QosClass {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const amounts = containers.flatMap(container => counted.map(resource => amountsOf(container, resource)));
  if (amounts.every(({ request, limit }) => request === 0n && limit === 0n)) return 'BestEffort';
  return amounts.every(({ request, limit }) => limit > 0n && request === limit) ? 'Guaranteed' : 'Burstable';
}

function amountsOf({ resources }: Container, resource: string): { request: bigint; limit: bigint } {
  const limit = nanosOf(resources?.limits?.[resource]);
  const asked = resources?.requests?.[resource];
  return { limit, request: asked === undefined || asked === null ? limit : nanosOf(asked) };
}

function nanosOf(amount: string | number | undefined): bigint {
  const nanos = tryParseQuantity(String(amount ?? 0))?.nanos ?? 0n;
  return nanos > 0n ? nanos : 0n;
}
