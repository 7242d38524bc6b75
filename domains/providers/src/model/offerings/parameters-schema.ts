import { isJsonObject, type JsonObject, type JsonValue, type StructuralSchema } from '@chandlery/api';

/** The size limit of the OSB API. */
const maximumBytes = 64 * 1024;

/**
 * The parameters of a plan as JSON Schema draft 7: the schema of `spec`. Fields that the plan or the kind fill in are
 * optional. A schema that is too large loses its descriptions; undefined when that does not suffice.
 */
export function parametersSchema(spec: StructuralSchema | undefined, planSpec: JsonObject): JsonObject | undefined {
  if (spec === undefined) return undefined;
  const whole = withDraft(toDraft7(spec, planSpec));
  if (fits(whole)) return whole;
  const short = withoutDescriptions(whole) as JsonObject;
  return fits(short) ? short : undefined;
}

const withDraft = (schema: JsonObject): JsonObject => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...schema,
});

const fits = (schema: JsonObject): boolean => Buffer.byteLength(JSON.stringify(schema)) <= maximumBytes;

function toDraft7(schema: StructuralSchema, given?: JsonValue): JsonObject {
  return {
    ...plainWords(schema),
    ...typeWords(schema),
    ...rangeWords(schema),
    ...fieldWords(schema, given),
    ...branchWords(schema),
    ...(given === undefined || isJsonObject(given) ? {} : { default: given }),
  };
}

const translated = new Set([
  ...['type', 'nullable', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'properties', 'required'],
  ...['additionalProperties', 'items', 'allOf', 'anyOf', 'oneOf', 'not', 'example', 'externalDocs'],
]);

const plainWords = (schema: StructuralSchema): JsonObject =>
  Object.fromEntries(
    (Object.entries(schema) as [string, JsonValue][]).filter(
      ([word]) => !translated.has(word) && !word.startsWith('x-kubernetes-'),
    ),
  );

function typeWords(schema: StructuralSchema): JsonObject {
  const { type, nullable } = schema;
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : type === undefined ? [] : [type];
  const all = nullable && types.length > 0 ? [...types, 'null'] : types;
  return all.length === 0 ? {} : { type: all.length === 1 ? (all[0] ?? null) : all };
}

/** Exclusive limits are booleans in OpenAPI and numbers in draft 7. */
const rangeWords = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: StructuralSchema): JsonObject => ({
  ...(minimum === undefined ? {} : { [exclusiveMinimum ? 'exclusiveMinimum' : 'minimum']: minimum }),
  ...(maximum === undefined ? {} : { [exclusiveMaximum ? 'exclusiveMaximum' : 'maximum']: maximum }),
});

function fieldWords(schema: StructuralSchema, given: JsonValue | undefined): JsonObject {
  const { properties, required = [], items, additionalProperties } = schema;
  const filled = isJsonObject(given) ? given : {};
  const asked = required.filter(
    name => properties?.[name]?.default === undefined && (filled[name] === undefined || isJsonObject(filled[name])),
  );
  return {
    ...(properties === undefined ? {} : { properties: draftProperties(properties, filled) }),
    ...(asked.length === 0 ? {} : { required: asked }),
    ...(items === undefined ? {} : { items: toDraft7(items) }),
    ...additionalWords(schema, additionalProperties),
  };
}

const draftProperties = (properties: Record<string, StructuralSchema>, given: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toDraft7(schema, given[name])]));

/** The API drops unknown fields; the offerings reject them, and the schema says so. */
function additionalWords(schema: StructuralSchema, additional: StructuralSchema['additionalProperties']): JsonObject {
  if (typeof additional === 'object') return { additionalProperties: toDraft7(additional) };
  if (additional === true || schema['x-kubernetes-preserve-unknown-fields'] || schema.properties === undefined)
    return {};
  return schema.type === 'object' ? { additionalProperties: false } : {};
}

function branchWords({ allOf, anyOf, oneOf, not }: StructuralSchema): JsonObject {
  const each = (schemas: readonly StructuralSchema[]): JsonObject[] => schemas.map(schema => toDraft7(schema));
  return {
    ...(allOf === undefined ? {} : { allOf: each(allOf) }),
    ...(anyOf === undefined ? {} : { anyOf: each(anyOf) }),
    ...(oneOf === undefined ? {} : { oneOf: each(oneOf) }),
    ...(not === undefined ? {} : { not: toDraft7(not) }),
  };
}

/** A field named description is a schema, and stays. */
function withoutDescriptions(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(item => withoutDescriptions(item) ?? null);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([word, text]) => word !== 'description' || typeof text !== 'string');
  return Object.fromEntries(kept.map(([word, child]) => [word, withoutDescriptions(child)]));
}
