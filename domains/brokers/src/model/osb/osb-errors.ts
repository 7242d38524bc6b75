import type { JsonObject } from '@chandlery/api';

/**
 * The bodies of OSB's own rejections, all with status 422. Clients recognise them only by these very sentences besides
 * the code, and so are those of brokers recognised here ({@link osbErrorIn}): the text is the specification's.
 */
export const osbErrors = {
  asyncRequired: {
    error: 'AsyncRequired',
    description: 'This service plan requires client support for asynchronous service operations.',
  },
  requiresApp: {
    error: 'RequiresApp',
    description: 'This service supports generation of credentials through binding an application only.',
  },
  concurrencyError: {
    error: 'ConcurrencyError',
    description: 'The Service Broker does not support concurrent requests that mutate the same resource.',
  },
} as const;

/** The refusal that a broker means, in the very words; undefined when it means another, or gives a reason of its own. */
export function osbErrorIn(status: number, { error, description }: JsonObject): JsonObject | undefined {
  if (status !== 422) return undefined;
  const meant = Object.values(osbErrors).find(rejection => rejection.error === error);
  const isOwnReason = typeof description === 'string' && description !== '' && description !== meant?.description;
  return isOwnReason ? undefined : meant;
}
