// Objects that are being filled in. Whatever is missing or of another type is left for validation to complain about.

/** A JSON object that may be changed. */
export type Draft = Record<string, unknown>;

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Go clients write null for what they leave out. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** The object in a field, if there is one. */
export function childOf(parent: Draft | undefined, field: string): Draft | undefined {
  const value = parent?.[field];
  return isDraft(value) ? value : undefined;
}

/** The object in a field; a new one if the field is absent. */
export function ensureChild(parent: Draft, field: string): Draft | undefined {
  if (isAbsent(parent[field])) parent[field] = {};
  return childOf(parent, field);
}

/** The objects in a list. */
export function itemsOf(parent: Draft | undefined, field: string): readonly Draft[] {
  const value = parent?.[field];
  return Array.isArray(value) ? value.filter(isDraft) : [];
}

/** Sets a field that is absent. */
export function fill(parent: Draft, field: string, value: unknown): void {
  if (isAbsent(parent[field])) parent[field] = value;
}

/** Sets fields that are absent. */
export function fillAll(parent: Draft, values: Readonly<Draft>): void {
  for (const [field, value] of Object.entries(values)) fill(parent, field, value);
}
