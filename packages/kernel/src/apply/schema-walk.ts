import {
  badRequest,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type StructuralSchema,
} from '@chandlery/api';
import { type FieldPath, keyElement, type PathElement, printElement, printPath, valueElement } from './field-path.ts';

/** A schema, or undefined where nothing is known: objects are then maps of separate fields, lists are atomic. */
export type MaybeSchema = StructuralSchema | undefined;

/**
 * How ownership sees a value: a `map` or `list` is owned part by part, a `leaf` as a whole. Scalars, null, atomic maps
 * and atomic lists are leaves.
 */
export type Shape = 'map' | 'list' | 'leaf';

export function shapeOf(value: JsonValue, schema: MaybeSchema): Shape {
  if (typeof value !== 'object' || value === null) return 'leaf';
  if (Array.isArray(value)) return isAssociative(schema) ? 'list' : 'leaf';
  return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map';
}

function isAssociative(schema: MaybeSchema): schema is StructuralSchema {
  const listType = schema?.['x-kubernetes-list-type'];
  return listType === 'map' || listType === 'set';
}

/** True when the schema names the field, as opposed to keys of a free map. */
export const isNamedField = (schema: MaybeSchema, field: string): boolean =>
  schema?.properties !== undefined && Object.hasOwn(schema.properties, field);

/** The schema of a field or map key. */
export function fieldSchema(schema: MaybeSchema, field: string): MaybeSchema {
  if (schema === undefined) return undefined;
  if (isNamedField(schema, field)) return schema.properties?.[field];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** The schema below a path element. */
export const elementSchema = (schema: MaybeSchema, element: PathElement): MaybeSchema =>
  element.startsWith('f:') ? fieldSchema(schema, element.slice(2)) : schema?.items;

/** True when the element is a field that the schema names. */
export const isNamedElement = (schema: MaybeSchema, element: PathElement): boolean =>
  element.startsWith('f:') && isNamedField(schema, element.slice(2));

/** The path elements of the items of an associative list. Throws `BadRequest` for items that have no identity. */
export function itemElements(list: readonly JsonValue[], schema: MaybeSchema, path: FieldPath = []): PathElement[] {
  if (schema?.['x-kubernetes-list-type'] !== 'map') return list.map(valueElement);
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort();
  return list.map(item => keyedElement(item, keys, schema.items, path));
}

function keyedElement(
  item: JsonValue,
  sortedKeys: readonly string[],
  items: MaybeSchema,
  path: FieldPath,
): PathElement {
  if (!isJsonObject(item)) throw badRequest(`${printPath(path)}: items of a list with keys must be objects`);
  return keyElement(sortedKeys.map(key => [key, keyValue(item, key, items, path)]));
}

/** A key that an item leaves out counts with its default, so `{port: 80}` and `{port: 80, protocol: TCP}` are one item. */
function keyValue(item: JsonObject, key: string, items: MaybeSchema, path: FieldPath): JsonValue {
  const value = getOwn(item, key) ?? fieldSchema(items, key)?.default;
  if (value !== undefined) return value;
  throw badRequest(`${printPath(path)}: an item of a list with keys lacks key field "${key}", which has no default`);
}

/** Items by path element. Several items under one element are duplicates. */
export function groupItems(
  list: readonly JsonValue[],
  schema: MaybeSchema,
  path: FieldPath = [],
): Map<PathElement, JsonValue[]> {
  const groups = new Map<PathElement, JsonValue[]>();
  const elements = itemElements(list, schema, path);
  for (const [i, item] of list.entries()) {
    const element = elements[i] as PathElement;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** The error for a list that names an item twice. */
export const rejectDuplicate = (element: PathElement, path: FieldPath): Error =>
  badRequest(`${printPath(path)}: duplicate entries for key ${printElement(element)}`);
