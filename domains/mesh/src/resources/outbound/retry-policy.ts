import type { Pack, RetryPolicy } from '../proto/messages.ts';

/**
 * Another endpoint gets a request that none has got: connections that fail, streams that are refused, and connections that
 * are reset before the request was sent. A request that may have been worked on is never sent twice.
 */
const retriedFailures = ['connect-failure', 'refused-stream', 'reset-before-request'].join(',');
const maxRetries = 2;
const maxSelections = 5;

export const envoyRetryPolicy = (pack: Pack): RetryPolicy => ({
  retry_on: retriedFailures,
  num_retries: { value: maxRetries },
  retry_host_predicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typed_config: pack('envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate', {}),
    },
  ],
  host_selection_retry_max_attempts: maxSelections,
});
