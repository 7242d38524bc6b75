import { type ChandleryError, toError } from '@chandlery/api';
import type { RenderedError } from '@chandlery/http';
import { statusOfError } from './status.ts';

/** Errors as Kubernetes Status. */
export function renderError(error: ChandleryError): RenderedError {
  const status = statusOfError(toError(error));
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    body: JSON.stringify(status),
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(status.code === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
  };
}
