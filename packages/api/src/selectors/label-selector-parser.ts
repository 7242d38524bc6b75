import { badRequest } from '../api-errors.ts';
import type { LabelRequirement } from './label-requirement.ts';

interface Tokens {
  /** The token that comes next, empty at the end. */
  peek(): string;
  take(): string;
}

/** Two-character operators first; a word is whatever holds none of the special characters. */
const tokenPattern = /==|!=|[=!(),<>]|[^\s=!(),<>]+/g;
const specialTokens: ReadonlySet<string> = new Set(['', '=', '==', '!=', '!', '(', ')', ',', '<', '>']);
const isWord = (token: string): boolean => !specialTokens.has(token);

/** Splits and parses the text form of a label selector: not yet judged, values in the order of the text. */
export function parseRequirements(text: string): LabelRequirement[] {
  const tokens = tokenize(text);
  const requirements: LabelRequirement[] = [];
  while (tokens.peek() !== '') {
    requirements.push(parseRequirement(tokens));
    const next = tokens.take();
    if (next === '') break;
    if (next !== ',') throw unexpected(next, "',' or 'end of string'");
    if (!isWord(tokens.peek()) && tokens.peek() !== '!') throw unexpected(tokens.peek(), "identifier after ','");
  }
  return requirements;
}

function tokenize(text: string): Tokens {
  const tokens = text.match(tokenPattern) ?? [];
  let position = 0;
  return { peek: () => tokens[position] ?? '', take: () => tokens[position++] ?? '' };
}

const unexpected = (found: string, expected: string): Error =>
  badRequest(`unable to parse requirement: found '${found}', expected: ${expected}`);

function parseRequirement(tokens: Tokens): LabelRequirement {
  const isNegated = tokens.peek() === '!';
  if (isNegated) tokens.take();
  const key = tokens.take();
  if (!isWord(key)) throw unexpected(key, isNegated ? 'identifier' : "!, identifier, or 'end of string'");
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  if (tokens.peek() === '' || tokens.peek() === ',') return { key, operator: 'Exists', values: [] };
  return parseOperation(key, tokens);
}

function parseOperation(key: string, tokens: Tokens): LabelRequirement {
  const operator = tokens.take();
  switch (operator) {
    case '=':
    case '==':
      return { key, operator: 'In', values: [parseValue(tokens)] };
    case '!=':
      return { key, operator: 'NotIn', values: [parseValue(tokens)] };
    case '>':
      return { key, operator: 'GreaterThan', values: [parseValue(tokens)] };
    case '<':
      return { key, operator: 'LessThan', values: [parseValue(tokens)] };
    case 'in':
      return { key, operator: 'In', values: parseSet(tokens) };
    case 'notin':
      return { key, operator: 'NotIn', values: parseSet(tokens) };
    default:
      throw unexpected(operator, 'in, notin, =, ==, !=, gt, lt');
  }
}

/** The value may be missing, as in `a=,b`: then it is the empty one. */
function parseValue(tokens: Tokens): string {
  const token = tokens.peek();
  if (token === '' || token === ',') return '';
  if (!isWord(token)) throw unexpected(token, 'identifier');
  return tokens.take();
}

/** `(a,b)`; each place between commas may be empty and then stands for the empty value. */
function parseSet(tokens: Tokens): string[] {
  const open = tokens.take();
  if (open !== '(') throw unexpected(open, "'('");
  const values: string[] = [];
  for (;;) {
    values.push(isWord(tokens.peek()) ? tokens.take() : '');
    const next = tokens.take();
    if (next === ')') return values;
    if (next !== ',') throw unexpected(next, "',' or ')'");
  }
}
