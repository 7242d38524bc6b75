import type { JsonValue } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { isJsonObject } from '../json.ts';

/** Keys and their values, of any characters. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** One line of a PATCH's `labels`. */
interface LabelChange {
  readonly op: string;
  readonly key: string;
  readonly values: readonly string[];
}

const maxValueLength = 255;

/** Reads the labels of a new resource. Values given twice count once. Throws `BadRequest`. */
export function parseLabels(given: JsonValue | undefined, protectedKeys: readonly string[] = []): Labels {
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) throw rejection('labels must be an object of keys and lists of values');
  const entries = Object.entries(given).map(([key, values]) => {
    checkKey(key, protectedKeys);
    return [key, [...new Set(checkValues(values, key))]] as const;
  });
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

/**
 * Applies the changes of a PATCH in their order. Adding what is there and removing what is not changes nothing.
 * Throws `BadRequest` for what is no change.
 */
export function applyLabelChanges(
  labels: Labels | undefined,
  changes: JsonValue | undefined,
  protectedKeys: readonly string[] = [],
): Labels {
  const result = new Map(Object.entries(labels ?? {}));
  for (const change of parseChanges(changes, protectedKeys)) apply(result, change);
  return Object.fromEntries(result);
}

function apply(labels: Map<string, readonly string[]>, { op, key, values }: LabelChange): void {
  const present = labels.get(key) ?? [];
  switch (op) {
    case 'add':
      labels.set(key, [...new Set([...present, ...(values.length === 0 ? [''] : values)])]);
      return;
    case 'add_values':
      labels.set(key, [...new Set([...present, ...values])]);
      return;
    case 'remove':
      labels.delete(key);
      return;
    case 'remove_values': {
      const left = present.filter(value => !values.includes(value));
      if (left.length > 0) labels.set(key, left);
      else labels.delete(key);
      return;
    }
    default:
      throw rejection(
        `unknown label operation ${JSON.stringify(op)}: add, add_values, remove and remove_values are known`,
      );
  }
}

function parseChanges(changes: JsonValue | undefined, protectedKeys: readonly string[]): LabelChange[] {
  if (changes === undefined || changes === null) return [];
  if (!Array.isArray(changes)) throw rejection('labels must be a list of changes: {"op", "key", "values"}');
  return changes.map(change => parseChange(change, protectedKeys));
}

function parseChange(change: JsonValue, protectedKeys: readonly string[]): LabelChange {
  const { op, key, values } = isJsonObject(change) ? change : {};
  if (typeof op !== 'string' || op === '') throw rejection('a label change needs an "op"');
  if (typeof key !== 'string' || key === '') throw rejection('a label change needs a "key"');
  checkKey(key, protectedKeys);
  const checked = op === 'remove' ? [] : checkValues(values ?? [], key);
  if (op.endsWith('_values') && checked.length === 0)
    throw rejection(`the label operation ${op} of ${JSON.stringify(key)} needs "values"`);
  return { op, key, values: checked };
}

function checkKey(key: string, protectedKeys: readonly string[]): void {
  if (key === '') throw rejection('a label key may not be empty');
  if (key.includes('\0')) throw rejection(`the label key ${JSON.stringify(key)} holds the character NUL`);
  if (/[ \n]/.test(key)) throw rejection(`the label key ${JSON.stringify(key)} may hold neither blanks nor newlines`);
  if (protectedKeys.includes(key)) throw rejection(`the label ${JSON.stringify(key)} is protected: it cannot be set`);
}

function checkValues(values: JsonValue | undefined, key: string): string[] {
  if (!Array.isArray(values)) throw rejection(`the label ${JSON.stringify(key)} needs a list of values`);
  return values.map(value => {
    if (typeof value !== 'string') throw rejection(`a value of the label ${JSON.stringify(key)} is no string`);
    // NUL, because not every database can store it.
    if (/[\n\0]/.test(value)) throw rejection(`a value of the label ${JSON.stringify(key)} holds a newline or NUL`);
    if (value.length > maxValueLength)
      throw rejection(`a value of the label ${JSON.stringify(key)} is longer than ${maxValueLength} characters`);
    return value;
  });
}

const rejection = (message: string) => smError('BadRequest', message, { field: 'labels' });
