import { fieldCause, isInteger, type StructuralSchema } from '@chandlery/api';
import { type Findings, fieldOf } from './findings.ts';

/** True when the value may be looked at further; otherwise the cause has been added. */
export type TypeCheck = (value: unknown, found: Findings) => boolean;

/** A schema's type rule. Without a type anything goes, as inside `anyOf` and where unknown fields are preserved. */
export function compileTypeCheck(schema: StructuralSchema): TypeCheck {
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
