import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@chandlery/api';

/** Applies an RFC 7386 merge patch. Neither argument is changed; the result may share parts with both. */
export function applyMergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  return merge(target, patch);
}

function merge(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) delete result[key];
    else setOwn(result, key, merge(getOwn(result, key), change));
  }
  return result;
}
