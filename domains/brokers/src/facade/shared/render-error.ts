import type { ChandleryError, JsonObject } from '@chandlery/api';
import type { HttpRequest, RenderedError } from '@chandlery/http';
import { SmError, type SmErrorCode, smError } from '../../errors.ts';
import { withoutUndefined } from '../../model/json.ts';
import { errorDocument } from '../../model/operations/operation-end.ts';
import { brokerFailureCodes } from '../../ports.ts';
import { correlationIdOf } from './correlation-id.ts';

/** Shows an error in the words of the service manager. */
export function renderSmError(error: ChandleryError, request: HttpRequest): RenderedError {
  const known = toSmError(error);
  const correlationId = correlationIdOf(request.headers, request.id);
  return {
    status: known.status,
    body: JSON.stringify({ ...smErrorBody(known), correlation_id: correlationId }),
    headers: { 'x-correlation-id': correlationId, ...retryHeaders(known), ...challenge(known) },
  };
}

/** `{error, description}` and what else is known, as clients read it. */
const smErrorBody = (error: SmError): JsonObject => ({
  ...errorDocument(error),
  ...withoutUndefined({ retryable: error.facts.isRetryable, retry_after_seconds: error.facts.retryAfterSeconds }),
});

/** Translates any error to one of the service manager. Unexpected errors show no details. */
export function toSmError(error: ChandleryError): SmError {
  if (error instanceof SmError) return error;
  const { code, message, details } = error;
  const retryAfterSeconds = details.retryAfterSeconds;
  const later = { isRetryable: true, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  switch (code) {
    case 'Invalid':
      return smError('BadRequest', message, firstField(error));
    case 'RequestEntityTooLarge':
      return smError('PayloadTooLarge', message);
    case 'UriTooLong':
    case 'RequestHeaderFieldsTooLarge':
      return smError('BadRequest', message, { status: code === 'UriTooLong' ? 414 : 431 });
    case 'RequestTimeout':
      return smError('Timeout', message, { status: 408 });
    case 'AlreadyExists':
    case 'UniqueViolation':
      return smError('Conflict', message);
    case 'Conflict':
      return smError('Conflict', message, later);
    case 'TooManyRequests':
    case 'ServiceUnavailable':
      return smError(code, message, later);
    case brokerFailureCodes.BrokerBusy:
      return smError('ServiceUnavailable', message, later);
    case brokerFailureCodes.BrokerTimeout:
      return smError('BrokerError', message, { ...later, status: 504 });
    case brokerFailureCodes.BrokerAddressNotAllowed:
      return smError(code, message);
    case brokerFailureCodes.BrokerUnreachable:
    case brokerFailureCodes.BrokerConnectionLost:
      return smError('ServiceBrokerErr', message, later);
    default:
      return otherwise(error);
  }
}

/** Words that the store's errors share with ours. */
const shared: ReadonlySet<string> = new Set<SmErrorCode>([
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'MethodNotAllowed',
  'UnsupportedMediaType',
]);

function otherwise(error: ChandleryError): SmError {
  const { code, message } = error;
  if (shared.has(code)) return smError(code as SmErrorCode, message);
  if (code === 'Unavailable' || code === 'Timeout')
    return smError('ServiceUnavailable', 'the store cannot be reached; try again later', { isRetryable: true });
  return smError('InternalError', 'Internal server error', {}, { cause: error });
}

function firstField({ details }: ChandleryError): { field?: string } {
  const field = details.causes?.[0]?.field;
  return field === undefined ? {} : { field };
}

/**
 * When to come back. A date on 429, because a widespread client cuts nineteen characters out of that header without
 * looking and falls over a plain number; both forms are HTTP. Seconds are in the body and in `RateLimit-Reset`.
 */
function retryHeaders({ status, facts: { retryAfterSeconds } }: SmError): Record<string, string> {
  if (retryAfterSeconds === undefined) return {};
  if (status !== 429) return { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
  return { 'retry-after': new Date(Math.ceil(Date.now() / 1000 + retryAfterSeconds) * 1000).toUTCString() };
}

const challenge = ({ status }: SmError): Record<string, string> =>
  status === 401 ? { 'www-authenticate': 'Basic realm="Service Manager"' } : {};
