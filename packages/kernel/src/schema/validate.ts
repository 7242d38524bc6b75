import type { ErrorCause, StructuralSchema } from '@chandlery/api';
import { type Check, startFindings, tidyCauses } from './findings.ts';
import { withImpliedFields } from './implied-fields.ts';
import { compileListRules } from './list-rules.ts';
import { compileCheck } from './value-check.ts';

/** What is wrong with a value, in the words of Kubernetes; empty when nothing is. At most 50 causes. */
export type Validator = (value: unknown) => ErrorCause[];

/**
 * Compiles the schema of a whole object: types, values, formats, list types, and the types of metadata.
 * Throws when a pattern is not in RE2's syntax; `checkStructural` finds those first.
 */
export function compileValidator(schema: StructuralSchema): Validator {
  return toValidator(compileCheck(withImpliedFields(schema)), compileListRules(schema));
}

/** Compiles the schema of any value, without implied fields. */
export const compileValueValidator = (schema: StructuralSchema): Validator =>
  toValidator(compileCheck(schema), compileListRules(schema));

function toValidator(checkValue: Check, checkLists: Check | undefined): Validator {
  return value => {
    const found = startFindings();
    checkValue(value, found);
    checkLists?.(value, found);
    return tidyCauses(found.causes);
  };
}
