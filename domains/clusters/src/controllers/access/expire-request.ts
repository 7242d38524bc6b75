import type { StepContext, StepResult } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { hasExpired, lifetimeOf } from '../../model/access/ttl.ts';
import type { RequestDeps } from './request-deps.ts';
import { stateStanding } from './state-standing.ts';

/** Deletes an expired request. */
export async function expireRequest(
  request: AccessRequest,
  deps: RequestDeps,
  context: StepContext,
): Promise<StepResult> {
  const lifetime = lifetimeOf(request.spec.ttl, request.metadata.creationTimestamp);
  if (lifetime.type === 'invalid') {
    const message = `The ttl "${lifetime.ttl}" is not a duration; write it as 30m, 24h or 1h30m.`;
    return stateStanding(request, { type: 'refused', reason: 'InvalidTtl', message }, context);
  }
  if (!hasExpired(lifetime, context.now)) return 'continue';
  await deps.deleteRequest(request, context.signal);
  return 'stop';
}
