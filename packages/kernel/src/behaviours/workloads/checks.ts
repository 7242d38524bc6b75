import { isDeepStrictEqual } from 'node:util';
import { type ErrorCause, fieldCause, validateLabelValue, validateQualifiedName } from '@chandlery/api';

/** One cause for every error that a text check found. */
export const invalidEach = (field: string, value: unknown, errors: readonly string[]): ErrorCause[] =>
  errors.map(error => fieldCause.invalid(field, value, error));

/** Something that is referred to but not there. */
export const notFoundCause = (field: string, value: unknown): ErrorCause => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${JSON.stringify(value)}`,
  field,
});

/** A field that must stay as it was. */
export function immutableCauses(field: string, value: unknown, before: unknown): ErrorCause[] {
  return isSame(value, before) ? [] : [fieldCause.invalid(field, value ?? null, 'field is immutable')];
}

/** Equality under which null, an empty list and an empty object are as good as nothing. */
export const isSame = (left: unknown, right: unknown): boolean =>
  isDeepStrictEqual(left, right) || isDeepStrictEqual(normalize(left), normalize(right));

/** A copy without fields that say nothing, so that only real differences count. */
function normalize(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalize);
  const entries = Object.entries(value).map(([key, child]) => [key, normalize(child)] as const);
  const said = entries.filter(([, child]) => child !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Required, then a grammar. */
export function nameCauses(field: string, name: string | undefined, check: (text: string) => string[]): ErrorCause[] {
  return (name ?? '') === '' ? [fieldCause.required(field)] : invalidEach(field, name, check(name ?? ''));
}

/** As {@link nameCauses}, for what may be left out. */
export const optionalNameCauses = (
  field: string,
  name: string | null | undefined,
  check: (text: string) => string[],
): ErrorCause[] => ((name ?? '') === '' ? [] : nameCauses(field, name ?? '', check));

/** Labels, or anything else with their grammar. */
export function labelCauses(field: string, labels: Readonly<Record<string, string>> | undefined): ErrorCause[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidEach(field, key, validateQualifiedName(key)),
    ...invalidEach(field, value, validateLabelValue(value)),
  ]);
}

/** The second and further holders of the same value. Empty values do not count. */
export function duplicateCauses(entries: Iterable<readonly [field: string, value: string | undefined]>): ErrorCause[] {
  const seen = new Set<string>();
  const causes: ErrorCause[] = [];
  for (const [field, value] of entries) {
    if (value === undefined || value === '') continue;
    if (seen.has(value)) causes.push(fieldCause.duplicate(field, value));
    seen.add(value);
  }
  return causes;
}

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A number of pods, or a share of them: `3` or `25%`. */
export function countOrPercentCauses(
  field: string,
  value: number | string | undefined,
  maxPercent?: number,
): ErrorCause[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number') {
    return value < 0 ? [fieldCause.invalid(field, value, 'must be greater than or equal to 0')] : [];
  }
  if (!/^\d{1,9}%$/.test(value)) return [fieldCause.invalid(field, value, percentRule)];
  if (maxPercent === undefined || Number.parseInt(value, 10) <= maxPercent) return [];
  return [fieldCause.invalid(field, value, `must not be greater than ${maxPercent}%`)];
}

/** Whether such a number is nothing at all. */
export const isZeroCount = (value: number | string | undefined): boolean =>
  Number.parseInt(String(value ?? 0), 10) === 0;

/** A port number. */
export function portCauses(field: string, port: number): ErrorCause[] {
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return isPort ? [] : [fieldCause.invalid(field, port, 'must be between 1 and 65535, inclusive')];
}

/** The errors of a port name (RFC 6335); none when it is one. */
export function validatePortName(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]*$/.test(name)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}
