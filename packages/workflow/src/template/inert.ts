/**
 * Values of users must never act as tags. Where an execution asks for that, each pair of braces in such a value is kept
 * apart by a character of the private use area until the value leaves the engine.
 */
const separator = '\uE0F0';
const separators = new RegExp(separator, 'g');

/** A text that no later substitution reads as a tag. */
export const makeInert = (text: string): string => text.replace(/([{}])(?=\1)/g, `$1${separator}`);

/** Whether a text was made inert, and had to be. */
export const isInert = (text: string): boolean => text.includes(separator);

/** The text as its user wrote it. */
export const plainText = (text: string): string => (text.includes(separator) ? text.replace(separators, '') : text);

/** A copy of a value with the texts that users wrote; the value itself when there are none to restore. */
export function plainValue<T>(value: T): T {
  return restored(value) as T;
}

function restored(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(restored);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const plain = restored(field);
    if (plain === field) continue;
    copy ??= { ...value };
    copy[key] = plain;
  }
  return copy ?? value;
}
