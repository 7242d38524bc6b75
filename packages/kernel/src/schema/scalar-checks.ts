import { canonicalJson, fieldCause, isInteger, type StructuralSchema } from '@chandlery/api';
import { type Check, type Findings, fieldOf } from './findings.ts';
import { numberFormats, textFormats } from './formats.ts';
import { PatternTimeoutError } from './pattern-clock.ts';
import { Pattern } from './patterns.ts';

type TextCheck = (text: string, found: Findings) => void;
type NumberCheck = (value: number | bigint, found: Findings) => void;

/** All that a schema says about texts. */
export function compileTextChecks(schema: StructuralSchema): readonly TextCheck[] {
  return [
    ...(schema.maxLength === undefined ? [] : [maxLength(schema.maxLength)]),
    ...(schema.minLength === undefined ? [] : [minLength(schema.minLength)]),
    ...(schema.pattern === undefined ? [] : [pattern(schema.pattern)]),
    ...(schema.format === undefined ? [] : textFormat(schema.format)),
  ];
}

/** Characters as Kubernetes counts them: code points. Only texts that may break a limit are counted. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const maxLength =
  (max: number): TextCheck =>
  (text, found) => {
    if (text.length > max && countCharacters(text) > max) found.causes.push(fieldCause.tooLong(fieldOf(found), max));
  };

const minLength =
  (min: number): TextCheck =>
  (text, found) => {
    if (text.length < min || countCharacters(text) < min) refuse(text, found, `should be at least ${min} chars long`);
  };

function pattern(source: string): TextCheck {
  const compiled = new Pattern(source);
  return (text, found) => {
    if (found.patterns.isExhausted) return;
    try {
      if (!compiled.test(text, found.patterns)) refuse(text, found, `should match '${source}'`);
    } catch (error) {
      if (!(error instanceof PatternTimeoutError)) throw error;
      refuse(text, found, `is too expensive to validate by the pattern '${source}': ${error.message}`);
    }
  };
}

function textFormat(format: string): TextCheck[] {
  const hasFormat = textFormats.get(format);
  if (hasFormat === undefined) return [];
  return [
    (text, found) => {
      if (hasFormat(text)) return;
      const field = fieldOf(found);
      const detail = `${field} in body must be of type ${format}: ${JSON.stringify(text)}`;
      found.causes.push(fieldCause.typeInvalid(field, text, detail));
    },
  ];
}

/** All that a schema says about numbers. */
export function compileNumberChecks(schema: StructuralSchema): readonly NumberCheck[] {
  return [
    ...(schema.minimum === undefined ? [] : [minimum(schema.minimum, schema.exclusiveMinimum === true)]),
    ...(schema.maximum === undefined ? [] : [maximum(schema.maximum, schema.exclusiveMaximum === true)]),
    ...(schema.multipleOf === undefined ? [] : [multipleOf(schema.multipleOf)]),
    ...(schema.format === undefined ? [] : numberFormat(schema.format, schema.type ?? 'number')),
  ];
}

const minimum =
  (min: number, isExclusive: boolean): NumberCheck =>
  (value, found) => {
    if (isExclusive ? value > min : value >= min) return;
    refuse(value, found, `should be greater than ${isExclusive ? '' : 'or equal to '}${min}`);
  };

const maximum =
  (max: number, isExclusive: boolean): NumberCheck =>
  (value, found) => {
    if (isExclusive ? value < max : value <= max) return;
    refuse(value, found, `should be less than ${isExclusive ? '' : 'or equal to '}${max}`);
  };

/** 0.3 is a multiple of 0.1 although the quotient of the two doubles is not whole. */
const multipleOf =
  (factor: number): NumberCheck =>
  (value, found) => {
    if (!isMultiple(value, factor)) refuse(value, found, `should be a multiple of ${factor}`);
  };

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === 'bigint' && isInteger(factor)) return value % BigInt(factor) === 0n;
  const quotient = Number(value) / Number(factor);
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 2;
}

function numberFormat(format: string, type: string): NumberCheck[] {
  const hasFormat = numberFormats.get(format);
  if (hasFormat === undefined) return [];
  return [
    (value, found) => {
      if (hasFormat(value)) return;
      const field = fieldOf(found);
      const detail = `Checked value must be of type ${type} with format ${format} in ${field}`;
      found.causes.push(fieldCause.invalid(field, value, detail));
    },
  ];
}

/** The value must be one of the list, by JSON equality. */
export function compileEnum(values: readonly unknown[]): Check {
  const isAllowed = compileMembership(values);
  const shown = values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)));
  return (value, found) => {
    if (!isAllowed(value)) found.causes.push(fieldCause.notSupported(fieldOf(found), value, shown));
  };
}

/** Lists of texts, by far the most common, need no canonical form. */
function compileMembership(values: readonly unknown[]): (value: unknown) => boolean {
  const plain = new Set(values);
  if (values.every(value => typeof value === 'string')) return value => plain.has(value);
  const allowed = new Set(values.map(canonicalJson));
  return value => allowed.has(canonicalJson(value));
}

/** A value of the right type that breaks a rule. */
export function refuse(value: unknown, found: Findings, rule: string): void {
  const field = fieldOf(found);
  found.causes.push(fieldCause.invalid(field, value, `${field} in body ${rule}`));
}
