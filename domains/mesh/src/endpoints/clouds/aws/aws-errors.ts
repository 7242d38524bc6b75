import type { ChandleryError } from '@chandlery/api';
import { isError, toError } from '@chandlery/api';
import { cloudError } from '../cloud-errors.ts';
import { AwsFault } from './aws-api.ts';

/** Those of all services, in the order of the SDK. */
const throttled = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** Their messages may quote the signed request. */
const denied = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthFailure',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'OptInRequired',
  'SignatureDoesNotMatch',
  'UnauthorizedOperation',
  'UnrecognizedClientException',
]);

/** Converts what a call of AWS has thrown. */
export function awsError(thrown: unknown): ChandleryError {
  if (isError(thrown)) return thrown;
  if (!(thrown instanceof AwsFault)) return toError(thrown);
  const [what = ''] = thrown.message.split(':');
  if (throttled.has(thrown.code)) return cloudError('CloudThrottled', `AWS answered ${thrown.code} to ${what}`);
  if (denied.has(thrown.code)) {
    return cloudError('CloudDenied', `AWS answered ${thrown.code} to ${what}`, {
      hint: 'Check the access key, and its policy against docs/mesh-aws.md.',
    });
  }
  return cloudError('CloudUnreachable', `AWS answered ${thrown.code} to ${thrown.message}`);
}
