import { isDeepStrictEqual } from 'node:util';
import { isRecord, type StructuralSchema } from '@chandlery/api';
import type { JsonRecord } from './json.ts';
import { indexByKeys } from './list-map.ts';

type Container = JsonRecord | readonly unknown[];

/**
 * Which parts of an object an update leaves as they were. A value that has not changed is not validated again, as in
 * Kubernetes: otherwise an object that was stored before its schema became stricter could neither be labelled nor deleted.
 */
export class Ratchet {
  readonly #unchanged = new WeakSet<Container>();
  readonly #counterparts = new WeakMap<Container, Container>();

  /** Compares each part once. Items of a list correspond by their keys where it is a map, and not at all elsewhere. */
  constructor(schema: StructuralSchema, value: unknown, live: unknown) {
    this.#compare(schema, value, live);
  }

  /** Whether `value`, which is at `key` of `container`, is what it was. */
  isUnchanged(value: unknown, container: Container | undefined, key: string | number | undefined): boolean {
    if (isContainer(value)) return this.#unchanged.has(value);
    const before = container && this.#counterparts.get(container);
    return typeof key === 'string' && isRecord(before) && Object.hasOwn(before, key) && before[key] === value;
  }

  #compare(schema: StructuralSchema | undefined, value: unknown, live: unknown): boolean {
    if (!isContainer(value) || !isContainer(live)) return value === live;
    const isSame = Array.isArray(value)
      ? Array.isArray(live) && this.#compareLists(schema, value, live)
      : isRecord(value) && isRecord(live) && this.#compareObjects(schema, value, live);
    if (isSame) this.#unchanged.add(value);
    return isSame;
  }

  #compareObjects(schema: StructuralSchema | undefined, value: JsonRecord, live: JsonRecord): boolean {
    if (schema?.['x-kubernetes-map-type'] === 'atomic') return isDeepStrictEqual(value, live);
    this.#counterparts.set(value, live);
    const keys = Object.keys(value);
    let isSame = keys.length === Object.keys(live).length;
    for (const key of keys) {
      const before = Object.hasOwn(live, key) ? live[key] : undefined;
      if (!this.#compare(fieldSchema(schema, key), value[key], before)) isSame = false;
    }
    return isSame;
  }

  #compareLists(schema: StructuralSchema | undefined, value: readonly unknown[], live: readonly unknown[]): boolean {
    if (schema?.['x-kubernetes-list-type'] !== 'map') return isDeepStrictEqual(value, live);
    const counterpartOf = indexByKeys(live, schema['x-kubernetes-list-map-keys'] ?? []);
    let isSame = value.length === live.length;
    for (const [index, item] of value.entries()) {
      const before = counterpartOf(item);
      if (!this.#compare(schema.items, item, before) || before !== live[index]) isSame = false;
    }
    return isSame;
  }
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

function fieldSchema(schema: StructuralSchema | undefined, key: string): StructuralSchema | undefined {
  const declared = schema?.properties;
  if (declared !== undefined && Object.hasOwn(declared, key)) return declared[key];
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}
