import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isError } from '../errors.ts';
import { formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';

const understood = [
  ['', []],
  [',', []],
  ['metadata.name=a', [{ path: 'metadata.name', operator: '=', value: 'a' }]],
  [
    'a==b,c!=d',
    [
      { path: 'a', operator: '=', value: 'b' },
      { path: 'c', operator: '!=', value: 'd' },
    ],
  ],
  ['a=', [{ path: 'a', operator: '=', value: '' }]],
  [String.raw`a=b\,c\=d\\`, [{ path: 'a', operator: '=', value: String.raw`b,c=d\ `.trim() }]],
] as const;

const refused = [
  ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: ='],
  [String.raw`a=\x`, String.raw`invalid field selector: invalid escape sequence: \x`],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
] as const;

describe('A field selector', () => {
  for (const [text, requirements] of understood) {
    it(`understands ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseFieldSelector(text).requirements, requirements);
    });
  }

  for (const [text, message] of refused) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseFieldSelector(text),
        thrown => isError(thrown, 'BadRequest') && thrown.message === message,
      );
    });
  }

  it('is the same after formatting and parsing, whatever the values hold', () => {
    const requirement = fc.record(
      {
        path: fc.constantFrom('metadata.name', 'spec.nodeName'),
        operator: fc.constantFrom('=' as const, '!=' as const),
        value: fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', ' ') }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(requirement), requirements => {
        assert.deepEqual(parseFieldSelector(formatFieldSelector({ requirements })), { requirements });
      }),
    );
  });

  it('selects objects whose fields all agree, reading an absent field as empty', () => {
    const read = (path: string): string => (path === 'metadata.name' ? 'web' : '');
    assert.equal(matchesFields(parseFieldSelector('metadata.name=web,status.phase='), read), true);
    assert.equal(matchesFields(parseFieldSelector('metadata.name=web,status.phase=Ready'), read), false);
    assert.equal(matchesFields(parseFieldSelector('status.phase!=Ready'), read), true);
  });
});
