import { ChandleryError } from '@chandlery/api';

/** The shown fields of an error of the landscape. Any of them may be missing. */
interface ErrorBody {
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

/** The error of a failed response; `hints` by code are used when the response has none. */
export function errorOfResponse(
  status: number,
  text: string,
  hints: Readonly<Record<string, string>> = {},
): ChandleryError {
  const { code, reason, message, hint } = parseBody(text);
  // A proxy in front of the landscape responds in its own format when the landscape is not reachable.
  const word = textOf(code) ?? textOf(reason) ?? (status >= 500 ? 'ServiceUnavailable' : 'UnexpectedAnswer');
  const why = textOf(message) ?? `the landscape answered ${status}: ${text.trim().slice(0, 200)}`;
  const next = textOf(hint) ?? hints[word];
  return new ChandleryError(word, why, next === undefined ? {} : { hint: next });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
