import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';

/** What decides how data is read, merged or filled in is said once, outside of junctors. */
const forbiddenKeywords = [
  ['description', 'must be empty to be structural'],
  ['title', 'must be empty to be structural'],
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be undefined to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
] as const satisfies readonly (readonly [keyof StructuralSchema, string])[];

/** The junctors of one schema: they may restrict values, of fields that the schema itself declares. */
export function checkJunctors(schema: StructuralSchema, path: string): ErrorCause[] {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  return listJunctors(schema, path).flatMap(([junctor, junctorPath]) =>
    isIntOrString && spellsIntOrString(schema, junctor) ? [] : checkRestriction(junctor, schema, junctorPath, path),
  );
}

type PlacedSchema = readonly [schema: StructuralSchema, path: string];

function listJunctors(schema: StructuralSchema, path: string): PlacedSchema[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap(keyword =>
    (schema[keyword] ?? []).map((junctor, index): PlacedSchema => [junctor, `${path}.${keyword}[${index}]`]),
  );
  return schema.not === undefined ? lists : [...lists, [schema.not, `${path}.not`]];
}

/** `anyOf: [{type: integer}, {type: string}]`, alone or as the first of `allOf`: the two spellings that generators emit. */
function spellsIntOrString(schema: StructuralSchema, junctor: StructuralSchema): boolean {
  if (schema.anyOf?.includes(junctor) === true) return isIntegerOrString(schema.anyOf);
  return schema.allOf?.[0] === junctor && isIntegerOrString(junctor.anyOf) && Object.keys(junctor).length === 1;
}

function isIntegerOrString(alternatives: readonly StructuralSchema[] | undefined): boolean {
  const types = alternatives?.map(alternative =>
    Object.keys(alternative).length === 1 ? alternative.type : undefined,
  );
  return types?.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

/** A schema inside a junctor, next to the structural schema of the same place. */
function checkRestriction(
  schema: StructuralSchema,
  structural: StructuralSchema | undefined,
  path: string,
  structuralPath: string,
): ErrorCause[] {
  return [
    ...checkForbidden(schema, path),
    ...listJunctors(schema, path).flatMap(([junctor, junctorPath]) =>
      checkRestriction(junctor, structural, junctorPath, structuralPath),
    ),
    ...checkFields(schema, structural, path, structuralPath),
    ...checkItems(schema, structural, path, structuralPath),
  ];
}

const checkForbidden = (schema: StructuralSchema, path: string): ErrorCause[] =>
  forbiddenKeywords
    .filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false && schema[keyword] !== '')
    .map(([keyword, rule]) => fieldCause.forbidden(`${path}.${keyword}`, rule));

function checkFields(
  schema: StructuralSchema,
  structural: StructuralSchema | undefined,
  path: string,
  structuralPath: string,
): ErrorCause[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const propertyPath = `${path}.properties[${name}]`;
    const declaredPath = `${structuralPath}.properties[${name}]`;
    const declared = structural?.properties;
    const field = declared !== undefined && Object.hasOwn(declared, name) ? declared[name] : undefined;
    const missing = field === undefined ? [missingCause(declaredPath, propertyPath)] : [];
    return [...missing, ...(field === undefined ? [] : checkRestriction(property, field, propertyPath, declaredPath))];
  });
}

function checkItems(
  schema: StructuralSchema,
  structural: StructuralSchema | undefined,
  path: string,
  structuralPath: string,
): ErrorCause[] {
  if (schema.items === undefined) return [];
  const declaredPath = `${structuralPath}.items`;
  if (structural?.items === undefined) return [missingCause(declaredPath, `${path}.items`)];
  return checkRestriction(schema.items, structural.items, `${path}.items`, declaredPath);
}

const missingCause = (declaredPath: string, usedPath: string): ErrorCause =>
  fieldCause.required(declaredPath, `because it is defined in ${usedPath}`);
