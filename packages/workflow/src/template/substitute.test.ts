import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeInert, plainText } from './inert.ts';
import { layerScopes, mapScope, type ScopeValue } from './scope.ts';
import type { Strictness } from './strictness.ts';
import { substitute, substituteText } from './substitute.ts';

const scope = mapScope(
  new Map<string, ScopeValue>([
    ['inputs.parameters.x', 'X'],
    ['inputs.parameters.my-name', 'named'],
    ['inputs.parameters.n', '4'],
    ['item', 'x'],
    ['tasks.a.outputs.result', '["p"]'],
    ['tasks.b.outputs.parameters.p', null],
    ['tag', '{{inputs.parameters.x}}'],
  ]),
);

const cases: readonly { why: string; text: string; strictness?: Strictness; gives?: string; throws?: RegExp }[] = [
  { why: 'blanks are trimmed', text: 'a {{ inputs.parameters.x }} b', gives: 'a X b' },
  { why: 'unknown keys stay', text: '{{other.language}}', gives: '{{other.language}}' },
  {
    why: 'strict keys must be there',
    text: '{{tasks.z.status}}',
    strictness: ['tasks'],
    throws: /failed to resolve \{\{tasks.z.status\}\}/,
  },
  {
    why: 'artifacts are resolved later',
    text: '{{tasks.z.outputs.artifacts.q}}',
    strictness: ['tasks'],
    gives: '{{tasks.z.outputs.artifacts.q}}',
  },
  { why: 'everything may be strict', text: '{{other}}', strictness: 'all', throws: /failed to resolve/ },
  {
    why: 'inner tags are resolved first, the outer one by the next pass',
    text: '{{inputs.parameters.{{item}}}}',
    gives: '{{inputs.parameters.x}}',
  },
  { why: 'what is inserted is not scanned again', text: '{{tag}}', gives: '{{inputs.parameters.x}}' },
  { why: 'an absent value is an error', text: '{{tasks.b.outputs.parameters.p}}', throws: /absent optional/ },
  {
    why: 'expressions give text, or JSON',
    text: "{{=inputs.parameters['my-name']}} {{=asInt(inputs.parameters.n) + 1}} {{=[1, true]}}",
    gives: 'named 5 [1,true]',
  },
  {
    why: 'an absent value can be guarded',
    text: "{{=tasks.b.outputs.parameters.p ?? 'none'}}",
    strictness: ['tasks'],
    gives: 'none',
  },
  {
    why: 'what lies below a guard may be missing',
    text: "{{=tasks.a.outputs.parameters?.q ?? 'none'}}",
    strictness: ['tasks'],
    gives: 'none',
  },
  {
    why: 'an expression waits for names that are bound later',
    text: '{{=asInt(retries) + 1}}',
    gives: '{{=asInt(retries) + 1}}',
  },
  {
    why: 'an expression that is malformed is an error where all must be resolved',
    text: '{{=1 +}}',
    strictness: 'all',
    throws: /failed to evaluate expression/,
  },
  { why: 'a tag without an end is text', text: 'a {{inputs', gives: 'a {{inputs' },
];

for (const { why, text, strictness, gives, throws } of cases) {
  test(why, () => {
    if (throws !== undefined) assert.throws(() => substituteText(text, scope, strictness), throws);
    else assert.equal(substituteText(text, scope, strictness), gives);
  });
}

test('every text of a value is substituted, and what has no tag is shared', () => {
  const value = { a: ['{{item}}', 1], same: { deep: ['text'] } };
  const result = substitute(value, scope);
  assert.deepEqual(result, { a: ['x', 1], same: { deep: ['text'] } });
  assert.equal(result.same, value.same);
});

test('inert values survive every later pass', () => {
  const value = '{{item}} {{{item}}} }}';
  const inert = layerScopes(mapScope(new Map([['user', makeInert(value)]])), scope);
  const once = substituteText('<{{user}}>', inert);
  assert.equal(plainText(substituteText(substituteText(once, inert), inert)), `<${value}>`);
});
