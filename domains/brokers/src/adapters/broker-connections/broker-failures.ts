import { ChandleryError } from '@chandlery/api';
import { brokerFailureCodes } from '../../ports.ts';
import { isAddressRejection } from './checked-lookup.ts';

/** The call was not sent and may be repeated after the time. */
export function brokerBusy(broker: string, why: string, waitMs: number): ChandleryError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ChandleryError(brokerFailureCodes.BrokerBusy, `service broker ${broker} was not called: ${why}`, {
    hint: `Try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}

export function brokerTimeout(broker: string, timeoutMs: number): ChandleryError {
  const message = `service broker ${broker} did not answer within ${timeoutMs / 1000} s`;
  return new ChandleryError(brokerFailureCodes.BrokerTimeout, message);
}

export function brokerUnreachable(broker: string, why: string, cause?: unknown): ChandleryError {
  const message = `could not reach service broker ${broker}: ${why}`;
  return new ChandleryError(brokerFailureCodes.BrokerUnreachable, message, { cause });
}

const brokerNotAllowed = (broker: string, { message }: Error): ChandleryError =>
  new ChandleryError(brokerFailureCodes.BrokerAddressNotAllowed, `service broker ${broker} was not called: ${message}`);

/** What a call ended with that undici gave up. */
export function failureOf(broker: string, thrown: Error, wasSent: boolean): ChandleryError {
  if (isAddressRejection(thrown)) return brokerNotAllowed(broker, thrown);
  if (!wasSent || isCertificateAlert(thrown)) return brokerUnreachable(broker, reasonOf(thrown), thrown);
  const message = `the connection to service broker ${broker} was lost: ${reasonOf(thrown)}`;
  return new ChandleryError(brokerFailureCodes.BrokerConnectionLost, message, { cause: thrown });
}

/**
 * Since TLS 1.3 the rejection of a client certificate arrives after the request was sent; the server did not read the
 * request.
 */
const isCertificateAlert = (thrown: Error): boolean => /^ERR_SSL_.*ALERT.*(CERTIFICATE|_CA)/.test(codeOf(thrown));

/** Whether the request could not be written down, which says nothing about the broker. */
export const isUnsendable = (thrown: Error): boolean => codeOf(thrown) === 'UND_ERR_INVALID_ARG';

function codeOf(thrown: Error): string {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Several addresses of one host fail with several errors at once, and no message. */
function reasonOf(thrown: Error): string {
  const code = codeOf(thrown);
  return thrown.message === '' ? code || 'unknown' : thrown.message;
}
