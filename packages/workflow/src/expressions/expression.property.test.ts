import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WorkflowError } from '../errors.ts';
import { dependsTasks, evaluateDepends, parseDepends, type TaskResults } from './depends/depends.ts';
import { compileExpression, evaluateExpression } from './expression.ts';
import { insertedText } from './inserted-text.ts';
import { languageValues } from './test-language-rows.ts';
import { sprigValues } from './test-sprig-rows.ts';
import { evaluateWhen } from './when/evaluate-when.ts';

const seed = 20_261_118;

/** Runs what may fail only in our own way. */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    assert.ok(
      error instanceof WorkflowError,
      error instanceof Error ? `${error.message}\n${error.stack}` : String(error),
    );
  }
}

const sources = [...languageValues, ...sprigValues].map(([source]) => source);
const fragment = fc.constantFrom(
  ...'( ) [ ] { } . ?. ?? , : ; | # #acc + - * / % ** .. < <= == != && || ! not in matches contains let x = 1 2.5 "a" nil true $env sprig. len map( filter( .x 0x1 1e9 `'.split(
    ' ',
  ),
);
/** Parts of expressions that work, put together at random. */
const mutated = fc
  .array(
    fc.oneof(
      fragment,
      fc
        .tuple(fc.constantFrom(...sources), fc.nat(60), fc.nat(60))
        .map(([source, from, size]) => source.slice(from, from + size)),
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(' '));

const env = { x: 'text', list: [1, 'a', { k: null }], workflow: { parameters: { p: '1' } } };

test('no text makes an expression hang or fail in another way than ours', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string({ maxLength: 40 }), fc.constantFrom(...sources)), source => {
      attempt(() => evaluateExpression(compileExpression(source), env, { maxCost: 20_000, now: 0, random: () => 0.5 }));
    }),
    { seed, numRuns: 3000 },
  );
});

test('no text makes a condition or a dependency fail in another way than ours', () => {
  const text = fc.oneof(mutated, fc.string({ maxLength: 40 }));
  fc.assert(
    fc.property(text, source => {
      attempt(() => evaluateWhen(source));
      const depends = parseDepends(source);
      attempt(() => evaluateDepends(depends, () => ({}) as TaskResults));
      for (const task of dependsTasks(depends)) assert.match(task, /^[a-zA-Z0-9][-a-zA-Z0-9]*$/);
    }),
    { seed, numRuns: 2000 },
  );
});

test('JSON survives the way into and out of an expression', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
      const text = JSON.stringify(value);
      const result = evaluateExpression(compileExpression('toJson(fromJSON(text))'), { text });
      assert.deepEqual(JSON.parse(insertedText(result ?? '')), JSON.parse(text));
    }),
    { seed, numRuns: 300 },
  );
});

test('every text is a literal of itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      // JSON escapes surrogate pairs as two, which is no character of the language.
      const literal = JSON.stringify(text.toWellFormed()).replaceAll('\\/', '/');
      assert.equal(insertedText(evaluateExpression(compileExpression(literal), {}) ?? ''), text.toWellFormed());
    }),
    { seed, numRuns: 500 },
  );
});

test('ints are 64 bits wide', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (a, b) => {
      const sum = evaluateExpression(compileExpression(`string(${a} + ${b})`), {});
      assert.equal(sum, String(BigInt.asIntN(64, a + b)));
    }),
    { seed, numRuns: 200 },
  );
});
