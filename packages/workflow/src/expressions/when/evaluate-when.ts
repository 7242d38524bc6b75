import { WorkflowError } from '../../errors.ts';
import { Failure } from '../values/failure.ts';
import { checkSyntax } from './check-syntax.ts';
import { evaluateTokens, showValue } from './evaluate-tokens.ts';
import { tokenizeWhen, type WhenToken } from './token.ts';

const maxLength = 100_000;

/**
 * Whether a condition of a step, task or metric holds, after its tags were replaced. The language is govaluate's, with bare
 * words as strings. Throws `invalid-expression` or `expression-failed` with the messages of Argo.
 */
export function evaluateWhen(text: string): boolean {
  if (text === '') return true;
  const tokens = readTokens(text);
  const value = attempt(
    () => evaluateTokens(tokens),
    cause => failed(`Failed to evaluate 'when' expresion '${text}': ${cause}`),
  );
  if (typeof value === 'boolean') return value;
  throw failed(`Expected boolean evaluation for '${text}'. Got ${showValue(value)}`);
}

function readTokens(text: string): WhenToken[] {
  const tokens = attempt(
    () => {
      if (text.length > maxLength) throw new Failure(`expression is longer than ${maxLength} characters`);
      const found = tokenizeWhen(text);
      checkSyntax(found);
      return found;
    },
    cause => invalid(text, cause),
  );
  const withWords = tokens.map(token => (token.kind === 'VARIABLE' ? { ...token, kind: 'STRING' as const } : token));
  attempt(
    () => checkSyntax(withWords),
    cause => failed(`Failed to parse 'when' expression '${text}': ${cause}`),
  );
  return withWords;
}

function invalid(text: string, cause: string): WorkflowError {
  const hint = cause.includes('Invalid token') ? ' (hint: try wrapping the affected expression in quotes ("))' : '';
  return new WorkflowError('invalid-expression', `Invalid 'when' expression '${text}': ${cause}${hint}`);
}

const failed = (message: string): WorkflowError => new WorkflowError('expression-failed', message);

function attempt<T>(run: () => T, wrap: (cause: string) => WorkflowError): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Failure || error instanceof RangeError ? wrap(error.message) : error;
  }
}
