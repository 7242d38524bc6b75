import type { JsonObject } from '@chandlery/api';

type Labels = Readonly<Record<string, readonly string[]>>;

/** The changes that turn labels into others. Removals name their values, for receivers look at nothing else. */
export function labelChangesBetween(before: Labels = {}, after: Labels = {}): JsonObject[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap(key => {
    const [old, now] = [before[key] ?? [], after[key] ?? []];
    return [...change('add', key, missingIn(old, now)), ...change('remove_values', key, missingIn(now, old))];
  });
}

const change = (op: string, key: string, values: string[]): JsonObject[] =>
  values.length === 0 ? [] : [{ op, key, values }];

const missingIn = (some: readonly string[], others: readonly string[]): string[] =>
  others.filter(value => !some.includes(value));
