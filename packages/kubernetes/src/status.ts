import { apiErrorCodes, type ChandleryError, isError, toError } from '@chandlery/api';
import { httpErrorCodes } from '@chandlery/http';
import { apiReasonOfStoreError } from '@chandlery/kernel';

/** Kubernetes' answer for everything that is not an object. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object & { readonly retryAfterSeconds?: number };
  readonly code: number;
}

/** Those of the resource API and those that only the listener knows. */
const httpCodes: ReadonlyMap<string, number> = new Map(Object.entries({ ...apiErrorCodes, ...httpErrorCodes }));

/** The one mapping from anything thrown to a Status. Unexpected errors keep their text to themselves. */
export function statusOfError(thrown: unknown): Status {
  const error = toError(thrown);
  const reason = apiReasonOfStoreError.get(error.code) ?? error.code;
  const code = httpCodes.get(reason);
  if (code === undefined || (reason === 'InternalError' && !isError(thrown))) {
    return failure(500, 'InternalError', 'Internal error occurred: the server log says more');
  }
  return failure(code, reason, sentence(error), error);
}

/** Messages may quote what the client sent, and that may be as long as a body. */
const maxMessageLength = 100_000;

/** What, why and what next, in one text: a Status has no place for a hint. */
function sentence({ message, hint }: ChandleryError): string {
  const text = hint === undefined ? message : `${message}; ${hint}`;
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}

function failure(code: number, reason: string, message: string, error?: ChandleryError): Status {
  const { continueToken, ...details } = error?.details ?? {};
  const retry = code === 503 && details.retryAfterSeconds === undefined ? { retryAfterSeconds: 1 } : {};
  const all = { ...details, ...retry };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: 'Failure',
    message,
    reason,
    // Present even when there is nothing to say: clients, kubectl among them, look into it without asking.
    details: all,
    code,
  };
}
