import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isError } from '../errors.ts';
import { canonicalizeNumbers } from './canonical-numbers.ts';
import { hasLongDigits, parseJson } from './parse-json.ts';

describe('parseJson', () => {
  const table: readonly (readonly [text: string, value: unknown])[] = [
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['18446744073709551615', 2 ** 64],
    ['"9223372036854775807"', '9223372036854775807'],
    ['"\\"9223372036854775807"', '"9223372036854775807'],
    ['0.12345678901234567890', 0.12345678901234568],
    ['12345678901234567e1', 12345678901234567e1],
    [' [ 9223372036854775807 , {"a":9223372036854775807 } ] ', [9223372036854775807n, { a: 9223372036854775807n }]],
  ];
  for (const [text, value] of table) it(`reads ${text}`, () => assert.deepEqual(parseJson(text), value));

  for (const text of [
    '{9223372036854775807:1}',
    '{ 9223372036854775807 :1}',
    '09223372036854775807',
    '+9223372036854775807',
    '--9223372036854775807',
    '[9223372036854775807 1]',
    '"a"9223372036854775807',
    '9223372036854775807"a"',
    '[9223372036854775807',
  ]) {
    it(`rejects ${text} as JSON.parse does`, () => {
      assert.throws(() => JSON.parse(text), SyntaxError);
      assert.throws(() => parseJson(text), SyntaxError);
      assert.throws(
        () => parseJson(text),
        (error: Error) => !/[0-9a-f]{8}-[0-9a-f]{4}/.test(error.message),
      );
    });
  }

  it('keeps __proto__ an ordinary key', () => {
    const text = '{"__proto__":9223372036854775807}';
    assert.equal(JSON.stringify(parseJson(text)), text);
  });

  it('agrees with JSON.parse on texts without wide integers, and round-trips those with them', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.json(), int64, (json, integer) => {
        assert.deepEqual(canonicalizeNumbers(parseJson(json)), canonicalizeNumbers(JSON.parse(json)));
        const text = `{"wide":${integer},"rest":${JSON.stringify(parseJson(json))}}`;
        assert.equal(JSON.stringify(parseJson(text)), text);
      }),
    );
  });
});

describe('hasLongDigits', () => {
  it('finds sixteen digits wherever they stand', () => {
    for (let before = 0; before < 40; before++) {
      assert.equal(hasLongDigits(`${' '.repeat(before)}${'1'.repeat(16)}`), true);
      assert.equal(hasLongDigits(`${' '.repeat(before)}${'1'.repeat(15)} 1111`), false);
    }
  });
});

describe('canonicalizeNumbers', () => {
  it('gives equal numbers one representation', () => {
    assert.deepEqual(canonicalizeNumbers([1e18, { a: 9007199254740993.0, b: 1.5, c: 1e300, d: 5 }]), [
      10n ** 18n,
      { a: 9007199254740992n, b: 1.5, c: 1e300, d: 5 },
    ]);
  });

  for (const text of ['1e400', '[-1e400]', `{"a":1${'0'.repeat(400)}}`]) {
    it(`rejects ${text.slice(0, 20)}, which would be stored as null`, () =>
      assert.throws(
        () => canonicalizeNumbers(JSON.parse(text)),
        error => isError(error, 'BadRequest'),
      ));
  }
});
