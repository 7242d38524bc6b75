// Reading objects whose types are not known: whatever is missing or of another type reads as empty.

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path, or undefined. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const step of path) {
    if (!isFields(value)) return undefined;
    value = value[step];
  }
  return value;
}

/** The object at a path, or an empty one. */
export function fieldsAt(object: unknown, ...path: readonly string[]): Fields {
  const value = valueAt(object, ...path);
  return isFields(value) ? value : {};
}

/** The list at a path, or an empty one. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The string at a path, or an empty one. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** The number at a path, or 0. */
export function numberAt(object: unknown, ...path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

/** The item of a list of conditions that has this type. */
export const conditionOf = (object: unknown, type: string): unknown =>
  listAt(object, 'status', 'conditions').find(condition => textAt(condition, 'type') === type);

/** Whether the object has this condition with status True. */
export const hasCondition = (object: unknown, type: string): boolean =>
  textAt(conditionOf(object, type), 'status') === 'True';
