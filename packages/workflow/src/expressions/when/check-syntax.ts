import { fail } from '../values/failure.ts';
import { formatFloat } from '../values/format-value.ts';
import { followers, type WhenToken, type WhenTokenKind } from './token.ts';

const mayEnd: readonly WhenTokenKind[] = [
  'CLAUSE_CLOSE',
  'NUMERIC',
  'BOOLEAN',
  'STRING',
  'TIME',
  'VARIABLE',
  'ACCESSOR',
];

/** Refuses tokens that cannot follow one another. Throws a Failure as govaluate words it. */
export function checkSyntax(tokens: readonly WhenToken[]): void {
  const count = (kind: WhenTokenKind): number => tokens.filter(token => token.kind === kind).length;
  if (count('CLAUSE') !== count('CLAUSE_CLOSE')) fail('Unbalanced parenthesis');
  let last: WhenToken | undefined;
  for (const token of tokens) {
    if (!followers[last?.kind ?? 'UNKNOWN'].includes(token.kind)) refuse(last, token);
    last = token;
  }
  if (last === undefined || !mayEnd.includes(last.kind)) fail('Unexpected end of expression');
}

function refuse(last: WhenToken | undefined, token: WhenToken): never {
  if (last?.kind === 'VARIABLE' && token.kind === 'CLAUSE') fail(`Undefined function ${String(last.value)}`);
  return fail(`Cannot transition token types from ${describe(last)} to ${describe(token)}`);
}

function describe(token: WhenToken | undefined): string {
  if (token === undefined) return 'UNKNOWN [<nil>]';
  if (token.kind === 'ACCESSOR') return `ACCESSOR [[${String(token.value).split('.').join(' ')}]]`;
  return `${token.kind} [${typeof token.value === 'number' ? formatFloat(token.value) : token.value}]`;
}
