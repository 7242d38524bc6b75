import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';

/** The rules of `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` at one place. */
export function checkListExtensions(schema: StructuralSchema, path: string): ErrorCause[] {
  return [...checkMapType(schema, path), ...checkListType(schema, path), ...checkKeysBelong(schema, path)];
}

function checkMapType(schema: StructuralSchema, path: string): ErrorCause[] {
  const mapType: string | undefined = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const field = `${path}.x-kubernetes-map-type`;
  const isKnown = mapType === 'atomic' || mapType === 'granular';
  return [
    ...(isKnown ? [] : [fieldCause.notSupported(field, mapType, ['atomic', 'granular'])]),
    ...requireType(schema, 'object', 'must be object if x-kubernetes-map-type is specified', path),
  ];
}

function requireType(schema: StructuralSchema, type: string, rule: string, path: string): ErrorCause[] {
  if (schema.type === type) return [];
  const field = `${path}.type`;
  return [schema.type === undefined ? fieldCause.required(field, rule) : fieldCause.invalid(field, schema.type, rule)];
}

function checkListType(schema: StructuralSchema, path: string): ErrorCause[] {
  const listType: string | undefined = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [];
  const field = `${path}.x-kubernetes-list-type`;
  const typeCauses = requireType(schema, 'array', 'must be array if x-kubernetes-list-type is specified', path);
  switch (listType) {
    case 'atomic':
      return typeCauses;
    case 'set':
      return [...typeCauses, ...checkSet(schema.items, `${path}.items`)];
    case 'map':
      return [...typeCauses, ...checkMap(schema, path)];
    default:
      return [...typeCauses, fieldCause.notSupported(field, listType, ['atomic', 'map', 'set'])];
  }
}

/** What a set holds is compared as a whole, so it must be merged as a whole. */
function checkSet(items: StructuralSchema | undefined, path: string): ErrorCause[] {
  const rule = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (items === undefined) return [];
  if (items.nullable === true) {
    return [fieldCause.forbidden(`${path}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set')];
  }
  const keyword = items.type === 'object' ? 'x-kubernetes-map-type' : 'x-kubernetes-list-type';
  const isScalar = items.type !== 'object' && items.type !== 'array';
  if (isScalar || items[keyword] === 'atomic') return [];
  return [fieldCause.invalid(`${path}.${keyword}`, items[keyword] ?? null, rule)];
}

function checkMap(schema: StructuralSchema, path: string): ErrorCause[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysField = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) return [fieldCause.required(keysField, 'must not be empty if x-kubernetes-list-type is map')];
  const { items } = schema;
  if (items === undefined) {
    return [fieldCause.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  }
  const rule = "must be object if parent array's x-kubernetes-list-type is map";
  return [
    ...requireType(items, 'object', rule, `${path}.items`),
    ...(new Set(keys).size === keys.length
      ? []
      : [fieldCause.invalid(keysField, keys, 'must not contain duplicate entries')]),
    ...keys.flatMap(key => checkMapKey(key, items, path)),
  ];
}

function checkMapKey(key: string, items: StructuralSchema, path: string): ErrorCause[] {
  const properties = items.properties ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property === undefined) {
    const rule = 'entries must all be names of item properties';
    return [fieldCause.invalid(`${path}.x-kubernetes-list-map-keys`, key, rule)];
  }
  const field = `${path}.items.properties[${key}]`;
  if (property.type === 'object' || property.type === 'array') {
    const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    return [fieldCause.invalid(`${field}.type`, property.type, rule)];
  }
  return checkKeyPresence(key, property, items, field);
}

/** Without it, items would have no identity. */
function checkKeyPresence(
  key: string,
  property: StructuralSchema,
  items: StructuralSchema,
  field: string,
): ErrorCause[] {
  if (property.nullable === true) {
    const rule = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
    return [fieldCause.forbidden(`${field}.nullable`, rule)];
  }
  if (property.default !== undefined || items.required?.includes(key) === true) return [];
  const rule = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
  return [fieldCause.required(`${field}.default`, rule)];
}

function checkKeysBelong(schema: StructuralSchema, path: string): ErrorCause[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const listType = schema['x-kubernetes-list-type'];
  if (keys.length === 0 || listType === 'map') return [];
  const field = `${path}.x-kubernetes-list-type`;
  const rule = 'must be map if x-kubernetes-list-map-keys is non-empty';
  return [listType === undefined ? fieldCause.required(field, rule) : fieldCause.invalid(field, listType, rule)];
}
