import { TypeError as CelTypeError, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { replacedFunctions } from './functions/names.ts';

/** Why an expression cannot be used: it is wrong, or it needs what we do not have. */
export class ExpressionError extends Error {
  readonly reason: 'invalid' | 'lacking';

  constructor(reason: 'invalid' | 'lacking', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** One line about anything that the library throws, with the place in the expression where that is known. */
export function describeError(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'the expression is nested too deeply';
  if (error instanceof ParseError || error instanceof CelTypeError) return describeCheck(error);
  if (error instanceof EvaluationError) return publicNames(describeEvaluation(error.summary));
  return publicNames(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
}

const describeEvaluation = (summary: string): string =>
  summary
    .replace(/^No such key: index out of bounds, index (\S+).*$/s, 'index out of bounds: $1')
    .replace(/^No such key/, 'no such key')
    .replace(/^found no matching overload for/, 'no such overload:');

function describeCheck({ code, summary, node, range }: ParseError | CelTypeError): string {
  const place =
    range === undefined ? '' : placeOf({ ...(node?.input === undefined ? {} : { input: node.input }), ...range });
  if (code === 'no_such_key') return place + summary.replace(/^No such key: (.*)$/s, "undefined field '$1'");
  if (code !== 'unknown_variable') return place + publicNames(summary);
  return place + summary.replace(/^Unknown variable: (.*)$/s, "undeclared reference to '$1' (in container '')");
}

/** Line and column where a node starts. */
export function placeOf({ input, start }: { readonly input?: string; readonly start: number }): string {
  if (input === undefined) return '';
  const before = input.slice(0, start).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}: `;
}

/** Names that users do not know: those of our own functions, and those of a schema's objects. */
const publicNames = (text: string): string =>
  [...replacedFunctions]
    .reduce((shown, [name, own]) => shown.replaceAll(own, name), text)
    .replace(/\bobject\d+\b/g, 'object');
