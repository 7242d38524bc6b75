import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalQuantity, compareQuantities, formatQuantity, parseQuantity, tryParseQuantity } from './quantity.ts';

const canonical: readonly (readonly [string, string])[] = [
  ['0', '0'],
  ['0Ki', '0'],
  ['100m', '100m'],
  ['0.1', '100m'],
  ['1000m', '1'],
  ['1000', '1k'],
  ['1024', '1024'],
  ['1024Ki', '1Mi'],
  ['1.5Gi', '1536Mi'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
  ['0.5Mi', '512Ki'],
  ['1e3', '1e3'],
  ['12E2', '1200'],
  ['1E', '1E'],
  ['1e-3', '1e-3'],
  ['-1500', '-1500'],
  ['+5', '5'],
  ['.5', '500m'],
  ['5.', '5'],
  ['0.1n', '1n'],
  ['1.0000000001', '1000000001n'],
  ['9999999999E', '9223372036854775807'],
];

describe('Quantities', () => {
  for (const [text, expected] of canonical) {
    it(`write ${text} as ${expected}`, () => assert.equal(canonicalQuantity(text), expected));
  }

  for (const text of ['', '.', '-', '1 Gi', '1gi', '1ki', '1K', '1m5', '1e', 'e3', '1.2.3', '1e1.5', '1'.repeat(300)]) {
    it(`do not understand ${JSON.stringify(text.slice(0, 12))}`, () => assert.equal(tryParseQuantity(text), undefined));
  }

  it('compare by amount, not by text', () => {
    assert.equal(compareQuantities(parseQuantity('1Gi'), parseQuantity('1G')), 1);
    assert.equal(compareQuantities(parseQuantity('1000m'), parseQuantity('1')), 0);
    assert.equal(compareQuantities(parseQuantity('-1'), parseQuantity('1m')), -1);
    assert.throws(() => parseQuantity('much'), /quantities must match the regular expression/);
  });

  it('keep their amount in canonical form', () => {
    const texts = fc
      .tuple(fc.integer(), fc.constantFrom('', 'm', 'n', 'k', 'Mi', 'Ki', 'e3', 'e-2'))
      .map(([amount, suffix]) => `${amount}${suffix}`);
    fc.assert(
      fc.property(texts, text => {
        const written = formatQuantity(parseQuantity(text));
        assert.equal(parseQuantity(written).nanos, parseQuantity(text).nanos);
        assert.equal(canonicalQuantity(written), written);
      }),
    );
  });
});
