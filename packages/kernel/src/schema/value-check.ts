import { fieldCause, isInteger, isRecord, objectMetaSchema, type StructuralSchema } from '@chandlery/api';
import { compileEmbeddedResource } from './embedded-resource.ts';
import { type Check, checkChild, type Findings, fieldOf, isFull, isUnchanged } from './findings.ts';
import { withEmbeddedFields } from './implied-fields.ts';
import { hasField, type JsonRecord, mapProperties } from './json.ts';
import { compileJunctors } from './junctors.ts';
import { compileEnum, compileNumberChecks, compileTextChecks, refuse } from './scalar-checks.ts';

/**
 * Compiles a schema to closures, one per thing that it says; what it does not say costs nothing.
 *
 * Closures rather than generated code: tenants write schemas, and no text of theirs is ever turned into a program.
 */
export function compileCheck(declared: StructuralSchema): Check {
  const schema = declared['x-kubernetes-embedded-resource'] === true ? withEmbeddedFields(declared) : declared;
  const hasType = compileTypeCheck(schema);
  const checkEnum = schema.enum === undefined ? undefined : compileEnum(schema.enum);
  const rules = [...compileContents(schema), ...compileJunctors(schema, compileCheck)];
  return (value, found) => {
    if (isFull(found) || isUnchanged(value, found)) return;
    const isRightType = hasType(value, found);
    if (isRightType && value === null && schema.nullable === true) return;
    checkEnum?.(value, found);
    if (isRightType) for (const check of rules) check(value, found);
  };
}

/** The checks of a schema for strings, numbers, lists and objects; each check applies to values of its own type only. */
function compileContents(schema: StructuralSchema): Check[] {
  const textChecks = compileTextChecks(schema);
  const numberChecks = compileNumberChecks(schema);
  const checkList = compileList(schema);
  const objectChecks = compileObject(schema);
  const onText: Check = (value, found) => {
    if (typeof value === 'string') for (const check of textChecks) check(value, found);
  };
  const onNumber: Check = (value, found) => {
    if (typeof value === 'number' || typeof value === 'bigint') for (const check of numberChecks) check(value, found);
  };
  const onList: Check = (value, found) => {
    if (!Array.isArray(value)) return;
    const { container } = found;
    found.container = value;
    checkList?.(value, found);
    found.container = container;
  };
  const onObject: Check = (value, found) => {
    if (!isRecord(value)) return;
    const { container } = found;
    found.container = value;
    for (const check of objectChecks) check(value, found);
    found.container = container;
  };
  return [
    ...(textChecks.length === 0 ? [] : [onText]),
    ...(numberChecks.length === 0 ? [] : [onNumber]),
    ...(checkList === undefined ? [] : [onList]),
    ...(objectChecks.length === 0 ? [] : [onObject]),
  ];
}

function compileList(schema: StructuralSchema): ((list: readonly unknown[], found: Findings) => void) | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const checkItem = schema.items === undefined ? undefined : compileCheck(schema.items);
  if (checkItem === undefined && schema.minItems === undefined && schema.maxItems === undefined) return undefined;
  return (list, found) => {
    if (list.length < minItems) refuse(list.length, found, `should have at least ${minItems} items`);
    if (list.length > maxItems) found.causes.push(fieldCause.tooMany(fieldOf(found), list.length, maxItems));
    if (checkItem === undefined) return;
    for (let index = 0; index < list.length && !isFull(found); index++)
      checkChild(checkItem, list[index], index, found);
  };
}

type ObjectCheck = (object: JsonRecord, found: Findings) => void;

const compileObject = (schema: StructuralSchema): readonly ObjectCheck[] =>
  [
    compileRequired(schema.required ?? []),
    compileSize(schema),
    compileFields(schema),
    schema['x-kubernetes-embedded-resource'] === true
      ? compileEmbeddedResource(compileCheck(objectMetaSchema))
      : undefined,
  ].filter(check => check !== undefined);

function compileRequired(required: readonly string[]): ObjectCheck | undefined {
  if (required.length === 0) return undefined;
  return (object, found) => {
    for (const name of required) {
      if (hasField(object, name)) continue;
      found.path.push(name);
      found.causes.push(fieldCause.required(fieldOf(found)));
      found.path.pop();
    }
  };
}

function compileSize({ minProperties, maxProperties }: StructuralSchema): ObjectCheck | undefined {
  if (minProperties === undefined && maxProperties === undefined) return undefined;
  return (object, found) => {
    const size = Object.keys(object).length;
    if (size < (minProperties ?? 0)) refuse(size, found, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && size > maxProperties) {
      found.causes.push(fieldCause.tooMany(fieldOf(found), size, maxProperties));
    }
  };
}

function compileFields(schema: StructuralSchema): ObjectCheck | undefined {
  const checks = mapProperties(schema, compileCheck);
  const checkOther = compileAdditional(schema.additionalProperties);
  if (checks.size === 0 && checkOther === undefined) return undefined;
  return (object, found) => {
    for (const key of Object.keys(object)) {
      const check = checks.get(key) ?? checkOther;
      if (check !== undefined && object[key] !== undefined) checkChild(check, object[key], key, found);
      if (isFull(found)) return;
    }
  };
}

function compileAdditional(additional: StructuralSchema['additionalProperties']): Check | undefined {
  if (additional === undefined || additional === true) return undefined;
  if (additional === false) return (value, found) => refuse(value, found, 'is a forbidden property');
  return compileCheck(additional);
}

/** True when the value may be looked at further; otherwise the cause has been added. */
type TypeCheck = (value: unknown, found: Findings) => boolean;

/** A schema's type rule. Without a type anything goes, as inside `anyOf` and where unknown fields are preserved. */
function compileTypeCheck(schema: StructuralSchema): TypeCheck {
  const isNullable = schema.nullable === true;
  const expected = schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : schema.type;
  if (expected === undefined) return () => true;
  const hasType = typeTests[expected];
  return (value, found) => {
    if (hasType(value) || (value === null && isNullable)) return true;
    const actual = typeName(value);
    const field = fieldOf(found);
    const detail = `${field} in body must be of type ${expected}: ${JSON.stringify(actual)}`;
    found.causes.push(fieldCause.typeInvalid(field, actual, detail));
    return false;
  };
}

const typeTests = {
  string: (value: unknown) => typeof value === 'string',
  boolean: (value: unknown) => typeof value === 'boolean',
  number: (value: unknown) => typeof value === 'number' || typeof value === 'bigint',
  integer: isInteger,
  array: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'integer,string': (value: unknown) => typeof value === 'string' || isInteger(value),
} as const;

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
