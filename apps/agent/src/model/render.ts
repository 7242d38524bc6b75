import type { JsonValue } from '@chandlery/api';
import { terminalError } from '@chandlery/runtime';

/** Values of placeholders; lists are addressed by number, as in `serviceAccounts.0.password`. */
export type PlaceholderValues = { readonly [name: string]: PlaceholderValue };
type PlaceholderValue = string | undefined | PlaceholderValues | readonly PlaceholderValue[];

const placeholder = /\{\{(.*?)\}\}/g;
const path = /^\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(\?)?\s*$/;

/**
 * Returns a copy of a JSON value with the placeholders in all its texts replaced, as in `"{{ host }}"`. Keys stay as they
 * are. `{{ tls.cert? }}` is empty where there is no such value; otherwise throws a terminal error for a
 * placeholder that is malformed, unknown or has no value.
 */
export function render(template: JsonValue, values: PlaceholderValues): JsonValue {
  if (typeof template === 'string') return renderText(template, values);
  if (Array.isArray(template)) return template.map(item => render(item, values));
  if (typeof template !== 'object' || template === null) return template;
  const fields = Object.entries(template).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([key, value]) => [key, render(value as JsonValue, values)]));
}

/** The paths of all placeholders of a JSON value, as in `tls.cert`. */
export function placeholdersIn(template: JsonValue): ReadonlySet<string> {
  const text = JSON.stringify(template, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return new Set([...text.matchAll(placeholder)].map(([, inner = '']) => inner.trim()));
}

function renderText(text: string, values: PlaceholderValues): string {
  const rendered = text.replace(placeholder, (whole, inner: string) => valueAt(inner, whole, values));
  const rest = text.replace(placeholder, '');
  if (rest.includes('{{') || rest.includes('}}')) throw terminalError(`the placeholder in "${text}" is not closed`);
  return rendered;
}

function valueAt(inner: string, whole: string, values: PlaceholderValues): string {
  const [, dotted, optional] = path.exec(inner) ?? [];
  if (dotted === undefined) throw terminalError(`the placeholder ${whole} is malformed`);
  let value: PlaceholderValue = values;
  for (const part of dotted.split('.')) value = memberOf(value, part);
  if (value === undefined && optional !== undefined) return '';
  if (typeof value !== 'string') throw terminalError(`the placeholder ${whole} has no value`);
  return value;
}

const memberOf = (value: PlaceholderValue, name: string): PlaceholderValue =>
  typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, PlaceholderValue>>)[name]
    : undefined;
