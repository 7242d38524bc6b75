import { isError } from '@chandlery/api';
import { brokerFailureCodes, type CallOutcome } from '../../ports.ts';

const outcomeOfCode: Readonly<Record<string, CallOutcome>> = {
  [brokerFailureCodes.BrokerTimeout]: 'timeout',
  [brokerFailureCodes.BrokerUnreachable]: 'unreachable',
  [brokerFailureCodes.BrokerConnectionLost]: 'connection_lost',
  [brokerFailureCodes.BrokerBusy]: 'busy',
  [brokerFailureCodes.BrokerAddressNotAllowed]: 'address_not_allowed',
};

/** The outcome of a call for metrics, from the status of the response or the reason why there is none. */
export function callOutcome(result: unknown): CallOutcome {
  if (typeof result !== 'number') return (isError(result) && outcomeOfCode[result.code]) || 'aborted';
  if (result < 400) return 'success';
  return result < 500 ? 'client_error' : 'server_error';
}
