import { ChandleryError } from '@chandlery/api';

/** A response that is no success. Its code is the reason of a Kubernetes Status, or the error code of another API. */
export class ApiFailure extends ChandleryError {
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}

/** The landscape did not respond. */
export const unreachable = (): ApiFailure => new ApiFailure(0, 'Unreachable', 'The landscape cannot be reached');

/** The failure that a response describes, whichever API has sent it. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const text = await response.text();
  const { reason, code, error, message, description } = parse(text);
  // The fleet has the sentence in the place where Kubernetes has a word.
  if (typeof code === 'string' && message === undefined && reason !== undefined)
    return new ApiFailure(response.status, code, reason);
  const words = message ?? description ?? (text.slice(0, 300) || response.statusText);
  return new ApiFailure(response.status, reason ?? error ?? String(response.status), words);
}

interface ErrorBody {
  readonly reason?: string;
  readonly code?: string | number;
  readonly message?: string;
  readonly error?: string;
  readonly description?: string;
}

function parse(text: string): ErrorBody {
  try {
    return (JSON.parse(text) ?? {}) as ErrorBody;
  } catch {
    return {};
  }
}

/** The sentence and the hint that people read about a failure. */
export function explainFailure(thrown: unknown): { readonly message: string; readonly hint: string } {
  if (!(thrown instanceof ApiFailure))
    return { message: thrown instanceof Error ? thrown.message : String(thrown), hint: '' };
  return { message: thrown.message, hint: hints[thrown.status] ?? '' };
}

const hints: Readonly<Record<number, string>> = {
  0: 'Check that it runs and that this machine reaches it.',
  401: 'Sign in again.',
  403: 'Ask who administers this cluster for the role that allows it.',
  404: 'It may have been deleted, or its kind is not served by this cluster.',
  409: 'It was changed meanwhile: compare with the live version and try again.',
  429: 'Wait a moment and try again.',
};
