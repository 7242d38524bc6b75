import { isJsonObject, type JsonValue, type StructuralSchema } from '@chandlery/api';

/** The paths of parameters that the kind does not have, sorted. The API would drop such fields silently. */
export const unknownParameters = (
  parameters: JsonValue | undefined,
  schema: StructuralSchema | undefined,
): readonly string[] => (schema === undefined ? [] : unknownAt(parameters, schema, 'parameters').sort());

function unknownAt(value: JsonValue | undefined, schema: StructuralSchema, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownIn(item, schema.items, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const known = fieldSchema(schema, name);
    if (known !== undefined) return unknownIn(child, known, `${path}.${name}`);
    return isOpen(schema) ? [] : [`${path}.${name}`];
  });
}

const unknownIn = (value: JsonValue | undefined, schema: StructuralSchema | undefined, path: string): string[] =>
  schema === undefined ? [] : unknownAt(value, schema, path);

function fieldSchema({ properties = {}, additionalProperties }: StructuralSchema, name: string) {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const isOpen = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
