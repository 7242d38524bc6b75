import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import { assertJsonLimits, maxJsonDepth, maxJsonValues, maxMapKeys, scanJson } from './json-limits.ts';

const scan = (json: string) => scanJson(Buffer.from(json));

describe('the limits of JSON', () => {
  const nest = (depth: number): string => `${'{"a":['.repeat(depth / 2)}"[[[\\"[["${']}'.repeat(depth / 2)}`;

  it('bound the depth, outside of strings', () => {
    scan(nest(maxJsonDepth));
    assert.throws(() => scan(nest(maxJsonDepth + 2)), /nested deeper than 500 levels/);
    assert.throws(() => scan('['.repeat(1_000_000)), /nested deeper than 500 levels/);
    assertJsonLimits(JSON.parse(nest(maxJsonDepth)));
    assert.throws(() => assertJsonLimits(JSON.parse(nest(maxJsonDepth + 2))), /nested deeper than 500 levels/);
  });

  it('do not confuse depth with length', () => {
    scan(`[${'[],{},'.repeat(10_000)}1]`);
    scan(JSON.stringify('['.repeat(10_000)));
  });

  it('bound the number of values, and not their length', () => {
    const list = (length: number): number[] => Array.from({ length }, () => 1);
    scan(JSON.stringify(list(maxJsonValues - 1)));
    assertJsonLimits(list(maxJsonValues - 1));
    for (const check of [scan, (json: string) => assertJsonLimits(JSON.parse(json))]) {
      assert.throws(
        () => check(JSON.stringify(list(maxJsonValues + 1))),
        error => isError(error, 'RequestEntityTooLarge'),
      );
    }
    scan(JSON.stringify('1,'.repeat(1_000_000)));
    // An object that is joined from several may have had more, and a patch may add a few.
    assertJsonLimits(list(2 * maxJsonValues + 10), list(2 * maxJsonValues));
    for (const before of [list(10), list(maxJsonValues + 10)])
      assert.throws(
        () => assertJsonLimits(list(2 * maxJsonValues), before),
        error => isError(error, 'RequestEntityTooLarge'),
      );
  });

  it('bound the keys of one map, and not of all together', () => {
    const map = (keys: number, first = 'k'): object =>
      Object.fromEntries(Array.from({ length: keys }, (_, index) => [`${first}${index}`, 1]));
    const isTooLarge = (error: unknown): boolean => isError(error, 'RequestEntityTooLarge');
    for (const check of [scan, (json: string) => assertJsonLimits(JSON.parse(json))]) {
      check(JSON.stringify([map(maxMapKeys), map(maxMapKeys)]));
      assert.throws(() => check(JSON.stringify(map(maxMapKeys + 1))), isTooLarge);
    }
    // The managedFields of such a map have one more key.
    scan(JSON.stringify({ '.': {}, ...map(maxMapKeys, 'f:k') }));
    assertJsonLimits(map(maxMapKeys + 1), map(maxMapKeys + 1));
    assert.throws(() => assertJsonLimits(map(maxMapKeys + 2), map(maxMapKeys + 1)), isTooLarge);
  });

  it('count the keys of a text', () => {
    assert.equal(scan('{"a":{"b":":"},"a":[{"c" : 1}]}').keys, 4);
  });

  for (const [json, hasExponents] of [
    ['[1e400]', true],
    ['[1.E5]', true],
    ['[true,false,null]', false],
    ['{"1e5":"1e5"}', false],
  ] as const) {
    it(`are scanned together with exponents: ${json}`, () => assert.equal(scan(json).hasExponents, hasExponents));
  }
});
