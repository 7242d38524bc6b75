import { type SmError, type SmErrorCode, type SmErrorFacts, smError, smErrorCodes } from '../../../errors.ts';
import type { OperationRow } from '../../../model/rows.ts';

/** The keys under which operations store the fields of an error. */
const factsByKey: Readonly<Record<string, keyof SmErrorFacts>> = {
  field: 'field',
  broker: 'broker',
  broker_status: 'brokerStatus',
  broker_error: 'brokerError',
  ids: 'ids',
  instance_usable: 'instanceUsable',
  update_repeatable: 'updateRepeatable',
};

/** Why an operation failed, for the caller who waited for it. */
export function operationError({ status }: OperationRow): SmError {
  const { error, description, ...notified } = (status.errors ?? {}) as Readonly<Record<string, unknown>>;
  const facts = Object.entries(notified).flatMap(([key, value]) => {
    const fact = factsByKey[key];
    return fact === undefined ? [] : [[fact, value] as const];
  });
  const message = typeof description === 'string' ? description : (status.description ?? 'the operation has failed');
  return smError(isCode(error) ? error : 'BrokerError', message, {
    ...(Object.fromEntries(facts) as SmErrorFacts),
    ...(status.httpStatus === undefined ? {} : { status: status.httpStatus }),
    ...(status.retryable === true && { isRetryable: true }),
  });
}

const isCode = (word: unknown): word is SmErrorCode => typeof word === 'string' && Object.hasOwn(smErrorCodes, word);
