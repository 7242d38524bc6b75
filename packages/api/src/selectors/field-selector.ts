import { badRequest } from '../api-errors.ts';

/** One condition on one field. */
export interface FieldRequirement {
  /** As `metadata.name`. Which paths exist is the kind's business. */
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All requirements must hold; none selects everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
}

/** Parses `metadata.name=a,status.phase!=Running`; a value may hold `\\`, `\,` and `\=`. Throws `BadRequest`. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter(term => term !== '');
  return { requirements: terms.map(term => parseTerm(term, text)) };
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  return text.match(/(?:[^\\,]|\\[\s\S]?)+/g) ?? [];
}

function parseTerm(term: string, text: string): FieldRequirement {
  const match = /^((?:[^\\=!]|\\[\s\S]|!(?!=))*?)(!=|==?)([\s\S]*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, path = '', operator, value = ''] = match;
  return { path, operator: operator === '!=' ? '!=' : '=', value: unescape(value) };
}

function unescape(value: string): string {
  const bare = value.replace(/\\[\s\S]?/g, '');
  if (bare.includes('=')) throw badRequest('invalid field selector: unescaped character in value: =');
  return value.replace(/\\([\s\S]?)/g, (sequence, character: string) => {
    if (character === '\\' || character === ',' || character === '=') return character;
    throw badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);
  });
}

/** True when an object with these fields is selected. An absent field reads as the empty text. */
export function matchesFields(selector: FieldSelector, readField: (path: string) => string): boolean {
  return selector.requirements.every(({ path, operator, value }) => (readField(path) === value) === (operator === '='));
}

/** The text form; parsing it gives the same selector again. */
export const formatFieldSelector = (selector: FieldSelector): string =>
  selector.requirements.map(({ path, operator, value }) => `${path}${operator}${escapeValue(value)}`).join(',');

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, character => `\\${character}`);
