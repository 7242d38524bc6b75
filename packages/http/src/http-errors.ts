import { apiError, apiErrorCodes, ChandleryError } from '@chandlery/api';

/** Codes that only the listener knows, and the HTTP status of each. */
export const httpErrorCodes = {
  RequestTimeout: 408,
  UriTooLong: 414,
  RequestHeaderFieldsTooLarge: 431,
} as const;

const statuses: ReadonlyMap<string, number> = new Map(Object.entries({ ...apiErrorCodes, ...httpErrorCodes }));

/** The HTTP status of an error; 500 for codes without one. */
export const httpStatusOf = (error: ChandleryError): number => statuses.get(error.code) ?? 500;

/** What anything thrown while answering a request means for the client. */
export interface RequestFailure {
  readonly error: ChandleryError;
  /** An unexpected error: it is logged, and the client gets no details. */
  readonly isUnexpected: boolean;
}

/** Sorts anything thrown. Foreign errors keep their words only when they blame the client. */
export function toRequestFailure(thrown: unknown, requestId: string): RequestFailure {
  if (thrown instanceof ChandleryError) return { error: thrown, isUnexpected: false };
  const status = clientErrorStatus(thrown);
  if (status === undefined) {
    const message = `an unexpected error occurred; the server's log has it under request ${requestId}`;
    return { error: apiError('InternalError', message, {}, thrown), isUnexpected: true };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { error: new ChandleryError(codeOfStatus(status), message, { cause: thrown }), isUnexpected: false };
}

function clientErrorStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return undefined;
  const status = thrown.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

function codeOfStatus(status: number): string {
  for (const [code, known] of statuses) if (known === status) return code;
  return 'BadRequest';
}
