import { isJsonObject, type JsonObject, type JsonValue, type KubeObject } from '@chandlery/api';

/** On a service object: the fields of its spec that were filled in, separated by commas. */
export const lateInitializedAnnotation = 'sdk.chandlery.io/late-initialized';

export interface LateInitialization {
  /** Paths within the spec, such as `size` or `storage.class`, that the definition declares. */
  readonly declared: readonly string[];
  /** The values that the service chose, by path. */
  readonly chosen: Readonly<Record<string, JsonValue>>;
}

/**
 * Returns the merge patch that writes back what the service chose; undefined when there is nothing to write. Does not
 * change fields that are set, and fills in each field once, so that a tenant can remove a value for good.
 */
export function latePatch(object: KubeObject, { declared, chosen }: LateInitialization): JsonObject | undefined {
  const done = namesIn(object.metadata.annotations?.[lateInitializedAnnotation]);
  const spec = object['spec'] as JsonObject | undefined;
  const missing = declared.filter(
    path => chosen[path] !== undefined && !done.includes(path) && valueAt(spec, path) === undefined,
  );
  if (missing.length === 0) return undefined;
  const annotations = { [lateInitializedAnnotation]: [...done, ...missing].sort().join(',') };
  const parts = missing.map(path => nested(path.split('.'), chosen[path] ?? null));
  return { metadata: { annotations }, spec: parts.reduce(merge, {}) };
}

const namesIn = (text = ''): readonly string[] => text.split(',').filter(name => name !== '');

function valueAt(spec: JsonObject | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), spec);
}

const nested = ([name = '', ...rest]: readonly string[], value: JsonValue): JsonObject => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
});

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = merged[name];
    merged[name] = isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value;
  }
  return merged;
}
