import { isInteger, isRecord, type StructuralSchema } from '@chandlery/api';
import { type Check, type Findings, startFindings } from './findings.ts';
import { withImpliedFields } from './implied-fields.ts';
import { hasField, mapProperties } from './json.ts';
import { compileEnum, compileNumberChecks, compileTextChecks } from './scalar-checks.ts';

/**
 * Whether nothing needs to be done to a value: pruning would drop nothing, defaulting fill in nothing, validation find
 * nothing. One walk instead of three, for values that programs have made. False means only that it is not plain at
 * once: what is rare in schemas is not looked into.
 */
export type CleanTest = (value: unknown) => boolean;

/** Compiles the schema of a whole object. */
export const compileCleanTest = (schema: StructuralSchema): CleanTest =>
  compileValueCleanTest(withImpliedFields(schema));

/** Compiles the schema of any value, without implied fields. */
export function compileValueCleanTest(schema: StructuralSchema): CleanTest {
  const isClean = compile(schema);
  return value => isClean(value, startFindings());
}

/** As {@link CleanTest}, for a part of a value. `found` is shared by the whole value, and stays without causes as long as it is clean. */
type PartTest = (value: unknown, found: Findings) => boolean;

const never: PartTest = () => false;
const isSomething: PartTest = value => value !== null && value !== undefined;

function compile(schema: StructuralSchema): PartTest {
  if (isRare(schema)) return never;
  const isInEnum = schema.enum === undefined ? undefined : silent([compileEnum(schema.enum)]);
  const isOfType = compileType(schema);
  return isInEnum === undefined ? isOfType : (value, found) => isOfType(value, found) && isInEnum(value, found);
}

const isRare = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-embedded-resource'] === true ||
  schema.nullable === true ||
  [schema.allOf, schema.anyOf, schema.oneOf, schema.not, schema.minProperties, schema.maxProperties].some(
    rule => rule !== undefined,
  );

function compileType(schema: StructuralSchema): PartTest {
  switch (schema.type) {
    case 'string':
      return compileScalar(value => typeof value === 'string', compileTextChecks(schema) as readonly Check[]);
    case 'integer':
      return compileScalar(isInteger, compileNumberChecks(schema) as readonly Check[]);
    case 'number':
      return compileScalar(
        value => typeof value === 'number' || typeof value === 'bigint',
        compileNumberChecks(schema) as readonly Check[],
      );
    case 'boolean':
      return value => typeof value === 'boolean';
    case 'array':
      return compileList(schema);
    case 'object':
      return compileObject(schema);
    default:
      return isAnything(schema) ? isSomething : never;
  }
}

/** Nothing is said of the value but that it is kept as it is. */
const isAnything = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true &&
  schema['x-kubernetes-int-or-string'] !== true &&
  schema.properties === undefined &&
  schema.items === undefined &&
  schema.additionalProperties === undefined &&
  compileTextChecks(schema).length + compileNumberChecks(schema).length === 0;

function compileScalar(isOfType: (value: unknown) => boolean, checks: readonly Check[]): PartTest {
  if (checks.length === 0) return isOfType;
  const isFine = silent(checks);
  return (value, found) => isOfType(value) && isFine(value, found);
}

/** Whether checks find nothing. */
const silent =
  (checks: readonly Check[]): PartTest =>
  (value, found) => {
    for (const check of checks) check(value, found);
    return found.causes.length === 0;
  };

/** Lists whose items must differ are plain only as long as there is nothing to compare. */
function compileList({ items, minItems, maxItems, ...schema }: StructuralSchema): PartTest {
  if (minItems !== undefined || maxItems !== undefined) return never;
  const isItemClean = items === undefined ? never : compile(items);
  const { 'x-kubernetes-list-type': listType = 'atomic' } = schema;
  const longest = listType === 'atomic' ? Number.POSITIVE_INFINITY : listType === 'set' ? 1 : 0;
  return (value, found) => {
    if (!Array.isArray(value) || value.length > longest) return false;
    for (const item of value) if (!isItemClean(item, found)) return false;
    return true;
  };
}

function compileObject(schema: StructuralSchema): PartTest {
  const fields = mapProperties(schema, compile);
  const isOtherClean = compileOthers(schema);
  const withDefault = Object.entries(schema.properties ?? {}).filter(([, { default: value }]) => value !== undefined);
  const needed = [...new Set([...(schema.required ?? []), ...withDefault.map(([name]) => name)])];
  return (value, found) => {
    if (!isRecord(value)) return false;
    for (const name of needed) if (!hasField(value, name)) return false;
    for (const key of Object.keys(value)) {
      const isClean = fields.get(key) ?? isOtherClean;
      if (!isClean(value[key], found)) return false;
    }
    return true;
  };
}

function compileOthers(schema: StructuralSchema): PartTest {
  const { additionalProperties: additional } = schema;
  if (typeof additional === 'object') return compile(additional);
  if (additional === false) return never;
  return additional === true || schema['x-kubernetes-preserve-unknown-fields'] === true
    ? value => value !== undefined
    : never;
}
