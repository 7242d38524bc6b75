import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ContentSum } from './content-sum.ts';

const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.string(), { nil: undefined })));

test('a sum depends on the content only, not on the order of changes', () => {
  fc.assert(
    fc.property(entries, history => {
      const gone = new ContentSum();
      for (const [key, content] of history) gone.set(key, content);
      const direct = new ContentSum();
      for (const [key, content] of [...new Map(history)].reverse()) direct.set(key, content);
      assert.equal(gone.text, direct.text);
    }),
  );
});

test('a sum distinguishes different contents, and contents that were swapped', () => {
  const sumOf = (...parts: [string, string][]): string => {
    const sum = new ContentSum();
    for (const [key, content] of parts) sum.set(key, content);
    return sum.text;
  };
  const texts = [
    sumOf(),
    sumOf(['a', 'x']),
    sumOf(['a', 'y']),
    sumOf(['a', 'x'], ['b', 'y']),
    sumOf(['a', 'y'], ['b', 'x']),
  ];
  assert.equal(new Set(texts).size, texts.length);
});
