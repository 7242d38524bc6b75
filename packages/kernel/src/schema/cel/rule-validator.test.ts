import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, StructuralSchema } from '@chandlery/api';
import type { Rule } from './rule.ts';
import { compileRuleValidator } from './rule-validator.ts';
import { causesOf, judge, withRules } from './test-rules.ts';

const text: StructuralSchema = { type: 'string' };
const ruled = (schema: StructuralSchema, ...rules: Rule[]): StructuralSchema => ({
  ...schema,
  'x-kubernetes-validations': rules as unknown as JsonValue[],
});
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({ type: 'object', properties });
const pair = object({ name: text, size: { type: 'integer' } });

const transitions: readonly { why: string; rule: string; old?: object; now: object; says: string }[] = [
  { why: 'is not asked about new objects', rule: 'self == oldSelf', now: { name: 'a' }, says: 'met' },
  { why: 'forbids a change', rule: 'self == oldSelf', old: { name: 'a' }, now: { name: 'b' }, says: 'broken' },
  {
    why: 'takes the same',
    rule: 'self == oldSelf',
    old: { name: 'a', size: 1 },
    now: { size: 1, name: 'a' },
    says: 'met',
  },
  {
    why: 'forbids removal',
    rule: '!has(oldSelf.name) || has(self.name)',
    old: { name: 'a' },
    now: {},
    says: 'broken',
  },
  {
    why: 'lets values grow',
    rule: 'self.size >= oldSelf.size',
    old: { size: 1 },
    now: { size: 2 },
    says: 'met',
  },
];

describe('a rule about change', () => {
  for (const { why, rule, old, now, says } of transitions) {
    it(why, () => assert.equal(judge(pair, rule, now, old), says));
  }

  it('is asked about new objects too when the old value is optional', () => {
    const schema = withRules(pair, {
      rule: 'oldSelf.hasValue() ? self.name == oldSelf.value().name : self.name == "first"',
      optionalOldSelf: true,
    });
    assert.deepEqual(causesOf(schema, { name: 'first' }), []);
    assert.equal(causesOf(schema, { name: 'second' }).length, 1);
    assert.deepEqual(causesOf(schema, { name: 'second' }, { name: 'second' }), []);
    assert.equal(causesOf(schema, { name: 'second' }, { name: 'first' }).length, 1);
  });

  it('notices changes of what rules cannot reach', () => {
    const open: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const listed = object({ all: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } } });
    assert.equal(judge(open, 'self == oldSelf', { a: { b: 1 } }, { a: { b: 2 } }), 'broken');
    assert.equal(judge(open, 'self == oldSelf', { a: { b: 1 } }, { a: { b: 1 } }), 'met');
    assert.equal(judge(listed, 'self == oldSelf', { all: [1] }, { all: [2] }), 'broken');
  });

  it('finds items of a list of type map by their keys', () => {
    const items = ruled({ ...pair, required: ['name'] }, { rule: 'self.size == oldSelf.size', message: 'fixed' });
    const list: StructuralSchema = {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    const old = [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
    ];
    const moved = [{ name: 'c', size: 3 }, old[1], old[0]];
    assert.deepEqual(causesOf(object({ spec: list }), moved, old), []);
    const [cause] = causesOf(object({ spec: list }), [{ name: 'b', size: 9 }], old);
    assert.equal(cause?.field, 'spec[0]');
  });
});

describe('what was wrong before', () => {
  const named = ruled(text, { rule: 'self.size() < 3', message: 'too long' });

  it('may stay as long as it is not changed', () => {
    const schema = object({ spec: object({ name: named, other: text }) });
    assert.deepEqual(causesOf(schema, { name: 'long', other: 'b' }, { name: 'long', other: 'a' }), []);
    assert.equal(causesOf(schema, { name: 'longer' }, { name: 'long' })[0]?.field, 'spec.name');
    assert.equal(causesOf(schema, { name: 'long' }, {}).length, 1);
  });

  it('may stay in a list without keys only if the whole list does', () => {
    const schema = object({ spec: object({ names: { type: 'array', items: named }, other: text }) });
    assert.deepEqual(causesOf(schema, { names: ['long'], other: 'b' }, { names: ['long'] }), []);
    assert.equal(causesOf(schema, { names: ['long', 'b'] }, { names: ['long'] })[0]?.field, 'spec.names[0]');
  });
});

describe('a broken rule', () => {
  const say = (rule: Omit<Rule, 'rule'>): unknown =>
    causesOf(withRules(pair, { rule: 'self.size < 3', ...rule }), { name: 'a', size: 3 })[0];

  it('is reported with its message, or with the rule itself', () => {
    assert.deepEqual(say({ message: 'too big' }), {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "object": too big',
      field: 'spec',
    });
    assert.deepEqual(say({}), {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "object": failed rule: self.size < 3',
      field: 'spec',
    });
  });

  it('is reported with the result of its message expression, or with its message when that fails', () => {
    const messages = ["'must be below 3, not ' + string(self.size)", "''", 'self.name + string(1 / 0)'].map(
      messageExpression => (say({ messageExpression, message: 'too big' }) as { message: string }).message,
    );
    assert.deepEqual(messages, [
      'Invalid value: "object": must be below 3, not 3',
      'Invalid value: "object": too big',
      'Invalid value: "object": too big',
    ]);
  });

  it('has the reason and the field that it asks for', () => {
    assert.deepEqual(say({ reason: 'FieldValueForbidden', fieldPath: '.size', message: 'no' }), {
      reason: 'FieldValueForbidden',
      message: 'Forbidden: no',
      field: 'spec.size',
    });
    assert.deepEqual(say({ reason: 'FieldValueRequired', fieldPath: "['name']", message: 'no' }), {
      reason: 'FieldValueRequired',
      message: 'Required value: no',
      field: 'spec.name',
    });
    assert.deepEqual(say({ reason: 'FieldValueDuplicate', message: 'no' }), {
      reason: 'FieldValueDuplicate',
      message: 'Duplicate value: "object": no',
      field: 'spec',
    });
  });
});

describe('rules stand anywhere in a schema', () => {
  const short = ruled(text, { rule: 'self.size() < 3', message: 'too long' });
  const places: readonly { why: string; schema: StructuralSchema; spec: unknown; field: string }[] = [
    { why: 'at a field', schema: object({ a: short }), spec: { a: 'long' }, field: 'spec.a' },
    { why: 'at items', schema: { type: 'array', items: short }, spec: ['a', 'long'], field: 'spec[1]' },
    {
      why: 'at values of a map',
      schema: { type: 'object', additionalProperties: short },
      spec: { a: 'b', c: 'long' },
      field: 'spec.c',
    },
    {
      why: 'at fields of items of lists',
      schema: { type: 'array', items: object({ a: { type: 'array', items: short } }) },
      spec: [{}, { a: ['', 'long'] }],
      field: 'spec[1].a[1]',
    },
  ];
  for (const { why, schema, spec, field } of places) {
    it(why, () =>
      assert.deepEqual(
        causesOf(object({ spec: schema }), spec).map(cause => cause.field),
        [field],
      ),
    );
  }

  it('at the root, where they know the name too', () => {
    const rule = "self.metadata.name.startsWith(self.spec) && self.kind == 'Widget' && self.apiVersion != ''";
    const validate = compileRuleValidator(ruled(object({ spec: text }), { rule, message: 'wrong name' }));
    const widget = (spec: string): object => ({
      apiVersion: 'v1',
      kind: 'Widget',
      metadata: { name: 'abc', labels: {} },
      spec,
    });
    assert.deepEqual(validate?.(widget('ab')), []);
    assert.deepEqual(validate?.(widget('x')), [
      { reason: 'FieldValueInvalid', message: 'Invalid value: "object": wrong name' },
    ]);
  });

  it('nowhere, and then there is nothing to run', () => {
    assert.equal(compileRuleValidator(object({ spec: text })), undefined);
  });

  it('but null is not asked', () => {
    const schema = object({ spec: object({ a: { ...short, nullable: true } }) });
    assert.deepEqual(causesOf(schema, { a: null }), []);
    assert.equal(causesOf(schema, { a: 'long' }).length, 1);
  });
});

describe('a rule that costs too much', () => {
  const numbers: StructuralSchema = { type: 'array', items: { type: 'integer' } };
  const names: StructuralSchema = { type: 'array', items: text };
  const outOfBudget = /running out of cost budget/;
  const limited = (schema: StructuralSchema, spec: unknown): string =>
    compileRuleValidator(schema, { maxCost: 50_000 })?.({ spec })[0]?.message ?? 'met';
  const range = Array.from({ length: 5000 }, (_, index) => index);
  const costly: readonly { why: string; schema: StructuralSchema; rule: string; spec: unknown }[] = [
    {
      why: 'loops in loops',
      schema: numbers,
      rule: 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))',
      spec: range,
    },
    { why: 'searches in loops', schema: numbers, rule: 'self.all(x, x in self)', spec: range },
    { why: 'lists in lists', schema: numbers, rule: 'self.map(x, self + self).size() > 0', spec: range },
    {
      why: 'errors that others make up for',
      schema: numbers,
      rule: 'self.exists(x, self.all(y, self.all(z, y >= 0))) || true',
      spec: range,
    },
    {
      why: 'long texts',
      schema: names,
      rule: 'self.map(x, self.map(y, x + y)).size() > 0',
      spec: range.map(() => 'x'.repeat(100)),
    },
  ];
  for (const { why, schema, rule, spec } of costly) {
    it(`ends with a cause: ${why}`, () => assert.match(limited(withRules(schema, { rule }), spec), outOfBudget));
  }

  it('pays for the length of its body and for each item that it stands at', () => {
    const long = Array(100).fill('self > -1').join(' && ');
    const item = ruled({ type: 'integer' }, { rule: long });
    const loop = { rule: `self.all(x, ${long.replaceAll('self', 'x')})` };
    assert.match(limited(object({ spec: { type: 'array', items: item } }), range), outOfBudget);
    assert.match(limited(withRules(numbers, loop), range), outOfBudget);
    assert.equal(limited(withRules(numbers, { rule: 'self.all(x, x > -1)' }), range), 'met');
  });

  it('does not make texts without end', () => {
    assert.match(
      judge(text, "self.replace('a', self) == ''", 'a'.repeat(10_000)),
      /^a text of more than 5000000 characters/,
    );
  });

  it('takes no longer than is allowed, whatever it costs', () => {
    let now = 0;
    const validate = compileRuleValidator(withRules(numbers, { rule: 'self.all(x, x >= 0)' }), {
      now: () => (now += 100),
    });
    assert.match(validate?.({ spec: range })[0]?.message ?? '', outOfBudget);
  });

  it('keeps later rules of the object from running, but not those of the next', () => {
    const rules: Rule[] = [{ rule: 'self.all(x, x in self)' }, { rule: 'size(self) == 0' }];
    const validate = compileRuleValidator(withRules(numbers, ...rules));
    assert.equal(validate?.({ spec: range }).length, 1);
    assert.equal(validate?.({ spec: [1] }).length, 1);
    assert.deepEqual(validate?.({ spec: [] }), []);
  });
});
