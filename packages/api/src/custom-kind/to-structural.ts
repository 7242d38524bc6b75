import { parseJson } from '../json/parse-json.ts';
import type { JsonValue } from '../object.ts';
import type { StructuralSchema } from '../schema.ts';

/** JSON Schema as TypeBox writes it. */
interface LooseSchema extends Omit<StructuralSchema, 'properties' | 'items' | 'additionalProperties' | 'anyOf'> {
  properties?: Record<string, LooseSchema>;
  items?: LooseSchema;
  additionalProperties?: boolean | LooseSchema;
  patternProperties?: Record<string, LooseSchema>;
  anyOf?: LooseSchema[];
  const?: JsonValue;
}

/** Says a TypeBox schema in the words of a structural schema: literals become enums, records additional properties. */
export function toStructural(schema: unknown): StructuralSchema {
  const { properties, items, patternProperties, additionalProperties, anyOf, const: value, ...rest } = copyOf(schema);
  const literals = literalsOf(anyOf ?? (value === undefined ? [] : [{ const: value }]));
  const structural: StructuralSchema = { ...rest };
  if (literals !== undefined) structural.enum = literals;
  else if (anyOf !== undefined) structural.anyOf = anyOf.map(toStructural);
  if (structural.enum !== undefined) structural.type ??= typeOf(structural.enum[0]);
  if (properties !== undefined) structural.properties = mapValues(properties);
  if (items !== undefined) structural.items = toStructural(items);
  const values = valuesOf(patternProperties) ?? additionalProperties;
  if (typeof values === 'object') structural.additionalProperties = toStructural(values);
  else if (values === true) structural.additionalProperties = true;
  if (isAnything(structural)) structural['x-kubernetes-preserve-unknown-fields'] = true;
  return structural;
}

/** Without the symbols by which TypeBox knows its own. */
const copyOf = (schema: unknown): LooseSchema => parseJson(JSON.stringify(schema)) as LooseSchema;

const mapValues = (properties: Record<string, LooseSchema>): Record<string, StructuralSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toStructural(property)]));

const valuesOf = (patterns: Record<string, LooseSchema> | undefined): LooseSchema | undefined =>
  patterns && Object.values(patterns)[0];

function literalsOf(alternatives: readonly LooseSchema[]): JsonValue[] | undefined {
  const literals = alternatives.flatMap(({ const: literal }) => (literal === undefined ? [] : [literal]));
  return literals.length > 0 && literals.length === alternatives.length ? literals : undefined;
}

function typeOf(value: JsonValue | undefined): NonNullable<StructuralSchema['type']> {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

const isAnything = (schema: StructuralSchema): boolean =>
  schema.type === undefined && schema.anyOf === undefined && schema['x-kubernetes-int-or-string'] === undefined;
