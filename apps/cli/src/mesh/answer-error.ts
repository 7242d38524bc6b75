import { ChandleryError } from '@chandlery/api';

/** The parts of an error of the landscape that are shown. None of them is certain to be there. */
interface ErrorBody {
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

/** The error that a failing answer means; `hints` say by code what to do where the answer does not. */
export function errorOfAnswer(
  status: number,
  text: string,
  hints: Readonly<Record<string, string>> = {},
): ChandleryError {
  const { code, reason, message, hint } = parseBody(text);
  // What stands before the landscape says in words of its own that there is nobody behind it.
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
