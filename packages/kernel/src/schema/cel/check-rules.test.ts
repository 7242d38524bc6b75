import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, StructuralSchema } from '@chandlery/api';
import { checkRules } from './check-rules.ts';
import type { Rule } from './rule.ts';
import { refusals, withRules } from './test-rules.ts';

const spec: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    part: { type: 'object', properties: { a: { type: 'string' } } },
  },
};

const at = 'schema.properties[spec].x-kubernetes-validations[0]';

const refused: readonly { why: string; rule: object; says: string }[] = [
  {
    why: 'an unknown field',
    rule: { rule: 'self.nmae == ""' },
    says: `.rule: Invalid value: "self.nmae == \\"\\"": compilation failed: 1:6: undefined field 'nmae'`,
  },
  {
    why: 'an unknown field in has()',
    rule: { rule: 'has(self.nmae)' },
    says: `.rule: Invalid value: "has(self.nmae)": compilation failed: 1:10: undefined field 'nmae'`,
  },
  {
    why: 'a field of no declared type',
    rule: { rule: 'has(self.anything)' },
    says: `.rule: Invalid value: "has(self.anything)": compilation failed: 1:10: undefined field 'anything'`,
  },
  {
    why: 'an unknown variable',
    rule: { rule: 'slef == self' },
    says: `.rule: Invalid value: "slef == self": compilation failed: 1:1: undeclared reference to 'slef' (in container '')`,
  },
  {
    why: 'an unknown function',
    rule: { rule: 'self.name.json() == ""' },
    says: `.rule: Invalid value: "self.name.json() == \\"\\"": compilation failed: 1:1: undeclared reference to 'json' (in container '')`,
  },
  {
    why: 'types that do not fit',
    rule: { rule: 'self.name + 1 == ""' },
    says: `.rule: Invalid value: "self.name + 1 == \\"\\"": compilation failed: 1:1: no such overload: string + int`,
  },
  {
    why: 'things that cannot be compared',
    rule: { rule: 'self.part == 1' },
    says: `.rule: Invalid value: "self.part == 1": compilation failed: 1:1: no such overload: object == int`,
  },
  {
    why: 'half an expression',
    rule: { rule: 'self.name ==' },
    says: `.rule: Invalid value: "self.name ==": compilation failed: 1:13: Unexpected token: EOF`,
  },
  {
    why: 'a rule that is no question',
    rule: { rule: 'self.size' },
    says: `.rule: Invalid value: "self.size": must evaluate to a bool`,
  },
  {
    why: 'a pattern that RE2 does not know',
    rule: { rule: "self.name.matches('(')" },
    says: `.rule: Invalid value: "self.name.matches('(')": compilation failed: error parsing regexp: missing closing ): \`(\``,
  },
  { why: 'no rule', rule: { message: 'no' }, says: '.rule: Required value: rule is not specified' },
  { why: 'no object', rule: ['a'], says: ': Invalid value: ["a"]: must be of type object' },
  { why: 'a rule that is no text', rule: { rule: 1 }, says: '.rule: Invalid value: 1: must be of type string' },
  {
    why: 'a blank message',
    rule: { rule: 'true', message: ' ' },
    says: '.message: Invalid value: " ": message must be non-empty if specified',
  },
  {
    why: 'lines without a message',
    rule: { rule: 'true &&\ntrue' },
    says: '.message: Required value: message must be specified if rule contains line breaks',
  },
  {
    why: 'a message expression that is no text',
    rule: { rule: 'true', messageExpression: '1' },
    says: '.messageExpression: Invalid value: "1": must evaluate to a string',
  },
  {
    why: 'an unknown reason',
    rule: { rule: 'true', reason: 'Because' },
    says: '.reason: Unsupported value: "Because": supported values: "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"',
  },
  {
    why: 'a path to nowhere',
    rule: { rule: 'true', fieldPath: '.nmae' },
    says: '.fieldPath: Invalid value: ".nmae": fieldPath must be a valid path, such as .spec.name, to a field of the schema',
  },
  {
    why: 'an optional old value that is not used',
    rule: { rule: 'true', optionalOldSelf: true },
    says: '.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
  },
];

describe('a CRD is rejected for', () => {
  for (const { why, rule, says } of refused) {
    it(why, () => assert.deepEqual(refusals(spec, rule as Rule), [`${at}${says}`]));
  }

  it('an old value that cannot be found', () => {
    const rules = [{ rule: 'self == oldSelf' }] as unknown as JsonValue[];
    for (const type of [undefined, 'atomic', 'set'] as const) {
      const list: StructuralSchema = {
        type: 'array',
        items: { type: 'string', 'x-kubernetes-validations': rules },
        ...(type === undefined ? {} : { 'x-kubernetes-list-type': type }),
      };
      const { causes } = checkRules({ type: 'object', properties: { spec: list } }, 'schema');
      assert.match(
        causes[0]?.message ?? '',
        /oldSelf cannot be used on the uncorrelatable portion of the schema within schema/,
      );
      assert.equal(causes[0]?.field, 'schema.properties[spec].items.x-kubernetes-validations[0].rule');
    }
  });

  it('too many rules', () => {
    const rules = Array.from({ length: 10_000 }, (_, index): Rule => ({ rule: `self.name != 'name-${index}'` }));
    const [cause] = checkRules(withRules(spec, ...rules), 'schema').causes;
    assert.equal(cause?.message, 'Forbidden: must not have rules of more than 200000 characters');
  });

  it('expressions that are too long', () => {
    const monsters = [`${'!'.repeat(100_000)}true`, `${'('.repeat(10_000)}true`, Array(5000).fill('true').join(' && ')];
    for (const rule of monsters) assert.equal(refusals(spec, { rule }).length, 1);
  });
});

describe('a CRD is accepted', () => {
  it('with all that rules may say', () => {
    const rule: Rule = {
      rule: 'self.size > 0 &&\n  self == oldSelf.value()',
      message: 'no',
      messageExpression: "'must be ' + string(self.size)",
      reason: 'FieldValueForbidden',
      fieldPath: '.part.a',
      optionalOldSelf: true,
    };
    assert.deepEqual(refusals(spec, rule), []);
  });

  it('with a warning when we lack a function that Kubernetes has', () => {
    const { causes, warnings } = checkRules(withRules(spec, { rule: 'isSemver(self.name)' }), 'schema');
    assert.deepEqual(causes, []);
    assert.deepEqual(warnings, [
      `${at}.rule: this rule is kept but not evaluated, since this server does not know isSemver()`,
    ]);
  });

  it('with more kinds of objects than are checked by type', () => {
    const part: StructuralSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const properties = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`p${index}`, { ...part }]));
    assert.deepEqual(refusals({ type: 'object', properties }, { rule: "self.p0.a == 'a' && self.p1499.a == 'b'" }), []);
  });
});
