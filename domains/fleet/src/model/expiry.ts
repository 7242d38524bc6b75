import { formatMicroTime } from '@chandlery/api';
import type { InstanceStatus } from './instance-events.ts';

/** What an expiry is decided by. */
export interface ExpiryInput {
  readonly status: Pick<InstanceStatus, 'state' | 'expiresAt'>;
  /** It has a fixed lifespan, as trials have. */
  readonly hasLifespan: boolean;
  readonly quota: 'covered' | 'lost';
  readonly graceSeconds: number;
  readonly now: Date;
}

/** What becomes of an instance. */
export type ExpiryDecision =
  | { readonly type: 'keep' }
  /** Nothing before that time. */
  | { readonly type: 'wait'; readonly until: Date }
  /** Its quota was lost just now, or is back (undefined). */
  | { readonly type: 'set'; readonly expiresAt: string | undefined }
  | { readonly type: 'delete'; readonly why: string };

/**
 * Decides whether an instance has to go. A lifespan ends without grace. Without one it goes in two phases: when its quota
 * is lost it gets a date, which is taken back when the quota returns in time.
 */
export function decideExpiry({ status, hasLifespan, quota, graceSeconds, now }: ExpiryInput): ExpiryDecision {
  const expiresAt = status.expiresAt === undefined ? undefined : new Date(status.expiresAt);
  if (!hasLifespan && quota === 'covered')
    return expiresAt === undefined ? { type: 'keep' } : { type: 'set', expiresAt: undefined };
  if (expiresAt === undefined)
    return hasLifespan
      ? { type: 'keep' }
      : { type: 'set', expiresAt: formatMicroTime(new Date(now.getTime() + graceSeconds * 1000)) };
  if (expiresAt > now) return { type: 'wait', until: expiresAt };
  return {
    type: 'delete',
    why: hasLifespan ? 'its lifespan has ended' : 'its quota was lost and the grace period has ended',
  };
}

/** Whether an instance lives in the grace period after its quota was lost. */
export const isInGrace = ({ status, hasLifespan }: Pick<ExpiryInput, 'status' | 'hasLifespan'>): boolean =>
  !hasLifespan && status.expiresAt !== undefined;
