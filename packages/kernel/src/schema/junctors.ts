import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { type Check, type Findings, fieldOf, tryCheck } from './findings.ts';

/** `allOf`, `anyOf`, `oneOf` and `not` of a schema, as one check each. */
export function compileJunctors(schema: StructuralSchema, compile: (schema: StructuralSchema) => Check): Check[] {
  const compileAll = (schemas: readonly StructuralSchema[] = []): Check[] => schemas.map(compile);
  const anyOf = compileAll(schema.anyOf);
  const oneOf = compileAll(schema.oneOf);
  return [
    ...compileAll(schema.allOf),
    ...(anyOf.length === 0 ? [] : [checkAnyOf(anyOf)]),
    ...(oneOf.length === 0 ? [] : [checkOneOf(oneOf)]),
    ...(schema.not === undefined ? [] : [checkNot(compile(schema.not))]),
  ];
}

const checkAnyOf =
  (checks: readonly Check[]): Check =>
  (value, found) => {
    const attempts: (readonly ErrorCause[])[] = [];
    for (const check of checks) {
      const causes = tryCheck(check, value, found);
      if (causes.length === 0) return;
      attempts.push(causes);
    }
    rejectJunctor(found, 'must validate at least one schema (anyOf)', attempts);
  };

const checkOneOf =
  (checks: readonly Check[]): Check =>
  (value, found) => {
    const attempts = checks.map(check => tryCheck(check, value, found));
    const valid = attempts.filter(causes => causes.length === 0).length;
    if (valid === 1) return;
    const outcome = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    rejectJunctor(found, `must validate one and only one schema (oneOf). ${outcome}`, valid === 0 ? attempts : []);
  };

const checkNot =
  (check: Check): Check =>
  (value, found) => {
    if (tryCheck(check, value, found).length > 0) return;
    rejectJunctor(found, 'must not validate the schema (not)', []);
  };

/** Says the rule and what the closest alternative missed. */
function rejectJunctor(found: Findings, rule: string, attempts: readonly (readonly ErrorCause[])[]): void {
  const field = fieldOf(found);
  found.causes.push(fieldCause.invalid(field, '', `"${field}" ${rule}`));
  const [closest] = attempts.toSorted((left, right) => left.length - right.length);
  found.causes.push(...(closest ?? []));
}
