import { isJsonObject, type JsonValue, type StructuralSchema } from '@chandlery/api';
import { nearest } from '@chandlery/platform';

/** A parameter that the kind does not have. */
export interface UnknownParameter {
  readonly path: string;
  /** The name that may be meant. Default: none is near. */
  readonly meant?: string | undefined;
}

/** The parameters that the kind does not have, sorted by path. The API would drop such fields silently. */
export const unknownParameters = (
  parameters: JsonValue | undefined,
  schema: StructuralSchema | undefined,
): readonly UnknownParameter[] =>
  schema === undefined
    ? []
    : unknownAt(parameters, schema, 'parameters').sort((left, right) => (left.path < right.path ? -1 : 1));

function unknownAt(value: JsonValue | undefined, schema: StructuralSchema, path: string): UnknownParameter[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownIn(item, schema.items, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const known = fieldSchema(schema, name);
    if (known !== undefined) return unknownIn(child, known, `${path}.${name}`);
    if (isOpen(schema)) return [];
    return [{ path: `${path}.${name}`, meant: nearest(name, Object.keys(schema.properties ?? {})) }];
  });
}

const unknownIn = (
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  path: string,
): UnknownParameter[] => (schema === undefined ? [] : unknownAt(value, schema, path));

function fieldSchema({ properties = {}, additionalProperties }: StructuralSchema, name: string) {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const isOpen = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
