import assert from 'node:assert/strict';
import type { ErrorCause, JsonValue, StructuralSchema } from '@chandlery/api';
import { checkRules } from './check-rules.ts';
import type { Rule } from './rule.ts';
import { compileRuleValidator } from './rule-validator.ts';

/** The schema of an object whose spec has the given schema and rules. */
export const withRules = (spec: StructuralSchema, ...rules: Rule[]): StructuralSchema => ({
  type: 'object',
  properties: { spec: { ...spec, 'x-kubernetes-validations': rules as unknown as JsonValue[] } },
});

/** What rules say against a spec. All of them must be acceptable in a CRD. */
export function causesOf(schema: StructuralSchema, spec: unknown, oldSpec?: unknown): ErrorCause[] {
  assert.deepEqual(checkRules(schema, 'schema'), { causes: [], warnings: [] });
  const validate = compileRuleValidator(schema);
  assert.ok(validate, 'the schema has no rules');
  return validate({ spec }, oldSpec === undefined ? undefined : { spec: oldSpec });
}

/** `met`, or what the one rule says against the spec. */
export function judge(spec: StructuralSchema, rule: string, value: unknown, oldValue?: unknown): string {
  const [cause] = causesOf(withRules(spec, { rule, message: 'broken' }), value, oldValue);
  return cause === undefined ? 'met' : cause.message.replace(/^Invalid value: "\w*": /, '');
}

/** Why a CRD with the rule is rejected; empty when it is not. */
export const refusals = (spec: StructuralSchema, rule: Rule): string[] =>
  checkRules(withRules(spec, rule), 'schema').causes.map(({ field, message }) => `${field}: ${message}`);
