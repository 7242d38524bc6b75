import { isJsonObject, type JsonObject, type JsonValue } from '@chandlery/api';

/** Merges documents as a merge patch does (RFC 7396): objects are merged, null removes, other values replace. */
export function mergeJson(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue | undefined>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null || value === undefined) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeJson(objectOf(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
