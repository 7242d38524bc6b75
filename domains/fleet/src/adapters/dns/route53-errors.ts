import { isError, toError } from '@chandlery/api';
import { peerRejected, peerUnavailable } from '../../port-errors.ts';

/** Errors that only other credentials or another policy can mend. Their messages may quote the signed request. */
const credentialErrors: readonly string[] = [
  'AccessDenied',
  'AccessDeniedException',
  'ExpiredToken',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];
const requestErrors: readonly string[] = [
  'InvalidChangeBatch',
  'InvalidDomainName',
  'InvalidInput',
  'NoSuchHostedZone',
];

/** Converts what the AWS SDK throws; `doing` completes "cannot …". */
export function route53Error(thrown: unknown, doing: string): Error {
  if (isError(thrown)) return thrown;
  const { name = '' } = thrown as { readonly name?: string };
  if (credentialErrors.includes(name))
    return peerRejected(`cannot ${doing}: Route 53 answered ${name}`, 'Check the access key of dns and its policy.');
  const { message } = toError(thrown);
  if (requestErrors.includes(name))
    return peerRejected(`cannot ${doing}: Route 53 answered ${name}: ${message}`, 'Check the domain of dns.', thrown);
  return peerUnavailable(`cannot ${doing}: Route 53: ${message}`, thrown);
}

/** Whether an error of the AWS SDK has a name. */
export const hasName = (thrown: unknown, name: string): boolean => (thrown as { readonly name?: string }).name === name;
