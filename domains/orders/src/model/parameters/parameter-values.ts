import type { ParameterDefinition } from '../../kinds/index.ts';
import { parseUrn } from '../urns.ts';

/** The types of parameters. */
export const parameterTypes = ['string', 'int', 'float', 'bool', 'option', 'artifact', 'collection', 'queue'] as const;

export type ParameterType = (typeof parameterTypes)[number];

/** Whether a text names a type. */
export const isParameterType = (type: string): type is ParameterType =>
  (parameterTypes as readonly string[]).includes(type);

/** A value as it is passed on, or what is wrong with it. */
export type CheckedValue =
  | { readonly isValid: true; readonly value: string }
  | { readonly isValid: false; readonly problem: string };

const maxInteger = 2n ** 63n - 1n;
const minInteger = -(2n ** 63n);

/** Checks the form of a value. Whether a reference exists and may be read is not its matter. */
export function checkValue({ type, options = [] }: ParameterDefinition, value: string): CheckedValue {
  switch (type) {
    case 'string':
      return valid(value);
    case 'int':
      return checkInteger(value);
    case 'float':
      return isFinite(value) ? valid(value) : invalid('a finite decimal number');
    case 'bool':
      return /^(true|false)$/i.test(value) ? valid(value.toLowerCase()) : invalid('true or false');
    case 'option':
      return options.some(option => option.value === value)
        ? valid(value)
        : invalid(`one of ${options.map(option => `'${option.value}'`).join(', ')}`);
    case 'artifact':
      return isArtifactReference(value) ? valid(value) : invalid('the URN of an artifact, or an http(s) URL');
    case 'collection':
      return isCollectionReference(value) ? valid(value) : invalid('the URN of a collection, an artifact or a queue');
    case 'queue':
      return parseUrn('queue', value) !== undefined ? valid(value) : invalid('the URN of a queue');
    default:
      return { isValid: false, problem: `has the unknown type '${type}'` };
  }
}

const valid = (value: string): CheckedValue => ({ isValid: true, value });
const invalid = (expected: string): CheckedValue => ({ isValid: false, problem: `must be ${expected}` });

function checkInteger(value: string): CheckedValue {
  const expected = 'an integer of 64 bits';
  if (value.length > 40 || !/^[+-]?\d+$/.test(value)) return invalid(expected);
  const integer = BigInt(value.replace(/^\+/, ''));
  return integer >= minInteger && integer <= maxInteger ? valid(integer.toString()) : invalid(expected);
}

const isFinite = (value: string): boolean =>
  /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) && Number.isFinite(Number(value));

const isArtifactReference = (value: string): boolean =>
  parseUrn('artifact', value) !== undefined || isHttpUrl(value.replace(/^urn:(?=https?:)/, ''));

const isCollectionReference = (value: string): boolean =>
  (['collection', 'artifact', 'queue'] as const).some(kind => parseUrn(kind, value) !== undefined);

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
