import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WorkflowError } from '../errors.ts';
import { makeInert, plainText } from './inert.ts';
import { mapScope, type ScopeValue } from './scope.ts';
import { substitute } from './substitute.ts';

const seed = 20_261_118;

const known = new Map<string, ScopeValue>([
  ['inputs.parameters.a', 'A'],
  ['inputs.parameters.nested', '{{inputs.parameters.a}}'],
  ['workflow.name', 'wf'],
  ['tasks.t.outputs.result', '[1, 2]'],
  ['tasks.s.outputs.parameters.p', null],
]);

const piece = fc.oneof(
  fc.constantFrom(
    ...['{{', '}}', '{', '}', '{{=', '=', ' ', '"', "'", '\\', '\n', '\uE0F0', '\uE0F1absent', '$env', 'item'],
    ...['__proto__', 'constructor', 'prototype', 'toString', 'process', 'globalThis', 'require', 'this', 'import'],
    ...['.', '[', ']', '(', ')', '??', '|', '#', 'sprig', 'sprig.env("HOME")', 'map(1..9, #)', 'repeat("x", 9999)'],
    ...known.keys(),
  ),
  fc.string({ maxLength: 6 }),
);
const text = fc.array(piece, { maxLength: 14 }).map(pieces => pieces.join(''));

/** The substituted text; undefined when it was rejected in our own way. */
function attempt(source: string): string | undefined {
  try {
    return substitute([source], mapScope(known), ['tasks', 'steps'])[0];
  } catch (error) {
    assert.ok(error instanceof WorkflowError, String(error));
    return undefined;
  }
}

test('no text makes a substitution hang, fail in another way than ours, or give anything but text', () => {
  fc.assert(
    fc.property(text, source => {
      const result = attempt(source);
      assert.ok(result === undefined || typeof result === 'string');
    }),
    { seed, numRuns: 3000 },
  );
});

test('tags and expressions read nothing but their scope', () => {
  const roots = ['__proto__', 'constructor', 'process', 'globalThis', 'require', 'inputs', 'workflow', '$env', 'sprig'];
  const members = ['__proto__', 'constructor', 'prototype', 'env', 'mainModule', 'parameters', 'toString', 'call'];
  const path = fc.tuple(fc.constantFrom(...roots), fc.array(fc.constantFrom(...members), { maxLength: 3 }));
  fc.assert(
    fc.property(path, fc.constantFrom('{{', '{{='), ([root, rest], open) => {
      const result = attempt(`${open}${[root, ...rest].join('.')}}}`) ?? '';
      assert.doesNotMatch(result, /function|native code|\[object|PATH/);
    }),
    { seed, numRuns: 1000 },
  );
});

test('values of users never act as tags, whatever they contain', () => {
  fc.assert(
    fc.property(text, value => {
      const scope = mapScope(new Map([...known, ['user', makeInert(plainText(value))]]));
      const twice = substitute(substitute({ x: '<{{user}}>' }, scope), scope);
      assert.equal(plainText(twice.x), `<${plainText(value)}>`);
    }),
    { seed, numRuns: 2000 },
  );
});
