import type { ErrorCause, StructuralSchema } from '@chandlery/api';
import { type Check, startFindings, tidyCauses } from './findings.ts';
import { withImpliedFields } from './implied-fields.ts';
import { compileListRules } from './list-rules.ts';
import { Ratchet } from './ratchet.ts';
import { compileCheck } from './value-check.ts';

/**
 * What is wrong with a value, in the words of Kubernetes; empty when nothing is. At most 50 causes. With `live`, the value
 * before an update, only what the update has changed is judged.
 */
export type Validator = (value: unknown, live?: unknown) => ErrorCause[];

/**
 * Compiles the schema of a whole object: types, values, formats, list types, and the types of metadata.
 * Throws when a pattern is not in RE2's syntax; `checkStructural` finds those first.
 */
export function compileValidator(schema: StructuralSchema): Validator {
  return toValidator(withImpliedFields(schema), compileListRules(schema));
}

/** Compiles the schema of any value, without implied fields. */
export const compileValueValidator = (schema: StructuralSchema): Validator =>
  toValidator(schema, compileListRules(schema));

function toValidator(schema: StructuralSchema, checkLists: Check | undefined): Validator {
  const checkValue = compileCheck(schema);
  const causesOf = (check: Check, value: unknown, ratchet?: Ratchet): readonly ErrorCause[] => {
    const found = startFindings(ratchet);
    check(value, found);
    return found.causes;
  };
  return (value, live) => {
    const all = causesOf(checkValue, value);
    // Only what is invalid is compared with what it was: by far the most objects are valid and cost nothing more.
    const values =
      all.length === 0 || live === undefined ? all : causesOf(checkValue, value, new Ratchet(schema, value, live));
    if (checkLists === undefined) return tidyCauses(values);
    const lists = causesOf(checkLists, value);
    const wereListsInvalid = lists.length > 0 && live !== undefined && causesOf(checkLists, live).length > 0;
    return tidyCauses(wereListsInvalid ? values : [...values, ...lists]);
  };
}
