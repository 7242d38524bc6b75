import { apiErrorCodes, ChandleryError, type ErrorCause, type ErrorDetails, isRecord } from '@chandlery/api';

/** The parts of Kubernetes' Status that an error is made of. None of them is certain to be there. */
interface StatusBody {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly code?: unknown;
  readonly metadata?: { readonly continue?: unknown };
  readonly details?: {
    readonly name?: unknown;
    readonly group?: unknown;
    readonly kind?: unknown;
    readonly uid?: unknown;
    readonly causes?: unknown;
    readonly retryAfterSeconds?: unknown;
  };
}

/** The reason for a status code whose answer names none. The first code of the table that fits. */
function reasonOfCode(status: number): string {
  const found = Object.entries(apiErrorCodes).find(([, code]) => code === status);
  return found?.[0] ?? (status >= 500 ? 'InternalError' : 'BadRequest');
}

/** The error that an answer with a failing status code means; `text` is its body, a Status or anything else. */
export function errorOfResponse(status: number, text: string): ChandleryError {
  const body = parseStatus(text);
  if (body !== undefined) return errorOfStatus(body, status);
  const said = text.trim().slice(0, 300);
  return new ChandleryError(reasonOfCode(status), `the server answered ${status}${said === '' ? '' : `: ${said}`}`);
}

/** The error that a Status means. */
export function errorOfStatus(body: object, status = 500): ChandleryError {
  const { message, reason, code, metadata, details } = body as StatusBody;
  const codeNumber = typeof code === 'number' ? code : status;
  const hasReason = typeof reason === 'string' && reason !== '' && reason !== 'Unknown';
  return new ChandleryError(
    hasReason ? reason : reasonOfCode(codeNumber),
    typeof message === 'string' && message !== '' ? message : `the server answered ${codeNumber}`,
    { details: detailsOf(details ?? {}, metadata?.continue) },
  );
}

function detailsOf(details: NonNullable<StatusBody['details']>, continueToken: unknown): ErrorDetails {
  const { retryAfterSeconds: seconds, causes } = details;
  return {
    ...textField('name', details.name),
    ...textField('group', details.group),
    ...textField('kind', details.kind),
    ...textField('uid', details.uid),
    ...textField('continueToken', continueToken),
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
    ...(Array.isArray(causes) ? { causes: causes.filter(isRecord).map(causeOf) } : {}),
  };
}

const textField = <Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as Record<Name, string>) : {};

const causeOf = (cause: Record<string, unknown>): ErrorCause => ({
  reason: typeof cause.reason === 'string' ? cause.reason : '',
  message: typeof cause.message === 'string' ? cause.message : '',
  ...textField('field', cause.field),
});

function parseStatus(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) && body.kind === 'Status' ? body : undefined;
  } catch {
    return undefined;
  }
}
