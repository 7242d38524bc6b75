import { type ChandleryError, isError, type JsonObject } from '@chandlery/api';
import { type SmError, type SmErrorCode, type SmErrorFacts, smError } from '../../errors.ts';
import { isJsonObject } from '../json.ts';
import { type BrokerResponse, brokerFailureCodes } from './broker-response.ts';
import { retryAfterOf } from './retry-after.ts';

const maxQuotedBytes = 1024;

/** A body as the JSON object that it should be; undefined for anything else. */
export function objectIn(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is known of an answer before it is read. */
export interface ResponseKind {
  /** It may hold credentials, so that nothing of it is quoted when it cannot be read. Default false. */
  readonly isSecret?: boolean;
}

/** The error body for a platform: the broker's body, with the broker's name before the description. */
export function brokerErrorBody(
  response: BrokerResponse,
  brokerName: string,
  { isSecret = false }: ResponseKind = {},
): JsonObject & { readonly description: string } {
  const body = objectIn(response.body);
  if (body === undefined) return { description: invalidJson(isSecret ? undefined : response, brokerName) };
  const { description, error } = body;
  const original = textOf(description) ?? textOf(error) ?? `status ${response.status}`;
  return { ...body, description: `Service broker ${brokerName} failed with: ${original}` };
}

/** "Service broker x responded with invalid JSON: <html>…", of which not too much is quoted. */
function invalidJson(quoted: BrokerResponse | undefined, brokerName: string): string {
  const sentence = `Service broker ${brokerName} responded with invalid JSON`;
  return quoted === undefined ? sentence : `${sentence}: ${quoted.body.subarray(0, maxQuotedBytes).toString()}`;
}

/** A broker's refusal or nonsense as an error of ours: 502, unless it is one of OSB's own words. */
export function brokerErrorOf(response: BrokerResponse, brokerName: string, kind: ResponseKind = {}): SmError {
  const body = brokerErrorBody(response, brokerName, kind);
  const word = textOf(body['error']);
  const facts: SmErrorFacts = {
    broker: brokerName,
    brokerStatus: response.status,
    isRetryable: isWorthRepeating(response.status, word),
    ...retryAfterOf(response),
    ...(word === undefined ? {} : { brokerError: word }),
  };
  return smError(codeOf(response.status, word), body.description, facts);
}

const osbWords: ReadonlySet<string> = new Set<SmErrorCode>([
  'AsyncRequired',
  'ConcurrencyError',
  'MaintenanceInfoConflict',
]);

const codeOf = (status: number, word: string | undefined): SmErrorCode =>
  status === 422 && word !== undefined && osbWords.has(word) ? (word as SmErrorCode) : 'BrokerError';

const isWorthRepeating = (status: number, word: string | undefined): boolean =>
  status >= 500 || status === 408 || status === 429 || (status === 422 && word === 'ConcurrencyError');

/** A call without an answer as an error of ours. */
export function failureError(failure: ChandleryError, brokerName: string): SmError {
  const { retryAfterSeconds } = failure.details;
  const facts = {
    broker: brokerName,
    isRetryable: true,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  const { code, message } = failure;
  if (code === brokerFailureCodes.BrokerBusy) return smError('ServiceUnavailable', message, facts);
  if (code === brokerFailureCodes.BrokerTimeout) return smError('BrokerError', message, { ...facts, status: 504 });
  if (code === brokerFailureCodes.BrokerAddressNotAllowed) return smError(code, message, facts);
  return smError('ServiceBrokerErr', message, facts);
}

/** Whether something thrown says that a call had no answer. */
export const isBrokerFailure = (thrown: unknown): thrown is ChandleryError =>
  isError(thrown, ...Object.values(brokerFailureCodes));

/** An answer that cannot be right, whatever its status. */
export const nonsense = (response: BrokerResponse, brokerName: string, what: string): SmError =>
  smError('BrokerError', `Service broker ${brokerName} ${what}`, {
    broker: brokerName,
    brokerStatus: response.status,
    isRetryable: false,
  });

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
