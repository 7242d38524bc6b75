import { fieldsAt, listAt, textAt, valueAt } from './read.ts';

/** Labels as `a=1,b=2`; `<none>` without any. */
export function labelsText(labels: unknown): string {
  const pairs = Object.entries(fieldsAt(labels)).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

function requirementText(requirement: unknown): string {
  const key = textAt(requirement, 'key');
  const values = listAt(requirement, 'values').map(String).sort().join(',');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return '<error>';
  }
}

/** A label selector in the syntax of `kubectl -l`, sorted by key; `<none>` for an empty one. */
export function selectorText(selector: unknown): string {
  const keyed = [
    ...Object.entries(fieldsAt(selector, 'matchLabels')).map(
      ([key, value]) => [key, `${key}=${String(value)}`] as const,
    ),
    ...listAt(selector, 'matchExpressions').map(item => [textAt(item, 'key'), requirementText(item)] as const),
  ];
  const sorted = keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, written]) => written);
  return sorted.length === 0 ? '<none>' : sorted.join(',');
}

const SHOWN = 3;

/** The first three items and how many more there are. */
export function firstFew(items: readonly string[], none: string): string {
  if (items.length === 0) return none;
  const shown = items.slice(0, SHOWN).join(',');
  return items.length > SHOWN ? `${shown} + ${items.length - SHOWN} more...` : shown;
}

/** A number or percentage, as written. */
export function intOrStringText(value: unknown, none: string): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : none;
}

const shortModes: ReadonlyMap<unknown, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

/** Access modes of a volume in their short forms, in the order people know. */
export function accessModesText(modes: readonly unknown[]): string {
  return [...shortModes]
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** Quantities are strings or numbers; both are shown as written. */
export const quantityText = (object: unknown, ...path: readonly string[]): string =>
  intOrStringText(valueAt(object, ...path), '');
