import { isJsonObject } from '@chandlery/api';

/** Quotas of Compute Engine are refilled each minute. */
const refillSeconds = 60;
const reasons = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'RATE_LIMIT_EXCEEDED']);

/**
 * How long to wait when a response of 403 says that a quota is used up, in seconds; undefined when it says anything else.
 * The reason is in the list of errors, or in the details of the newer form.
 */
export function throttledByGoogle({ error }: Readonly<Record<string, unknown>>): number | undefined {
  const { errors = [], details = [] } = isJsonObject(error) ? error : {};
  const isThrottled = [errors, details]
    .flat()
    .some(each => isJsonObject(each) && typeof each['reason'] === 'string' && reasons.has(each['reason']));
  return isThrottled ? refillSeconds : undefined;
}
