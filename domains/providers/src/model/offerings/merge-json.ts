import type { JsonObject, JsonValue } from '@chandlery/api';

/** Whether a value is an object of JSON, and neither a list nor null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lays one document over another as a merge patch does (RFC 7396): objects are merged, null takes away, the rest replaces. */
export function mergeJson(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue | undefined>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null || value === undefined) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeJson(objectOf(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
