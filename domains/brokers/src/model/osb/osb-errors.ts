/**
 * The bodies of OSB's own refusals, all with status 422. Well-known clients recognise them only by these very sentences
 * besides the code.
 */
export const osbErrors = {
  asyncRequired: {
    error: 'AsyncRequired',
    description: 'This service plan requires client support for asynchronous service operations.',
  },
  concurrencyError: {
    error: 'ConcurrencyError',
    description: 'The Service Broker does not support concurrent requests that mutate the same resource.',
  },
} as const;
