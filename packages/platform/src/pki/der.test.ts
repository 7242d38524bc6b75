import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { element, namedBits, objectIdentifier, octetString, sequence, time, unsignedInteger } from './der.ts';
import { readElements } from './der-reader.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const cases: readonly { why: string; bytes: Uint8Array; expected: string }[] = [
  { why: 'zero takes one octet', bytes: unsignedInteger(Buffer.from([0])), expected: '020100' },
  { why: 'no bytes at all are zero', bytes: unsignedInteger(Buffer.alloc(0)), expected: '020100' },
  { why: 'a high first bit gets a zero in front', bytes: unsignedInteger(Buffer.from([0x80])), expected: '02020080' },
  { why: 'leading zeros are dropped', bytes: unsignedInteger(Buffer.from([0, 0, 0x7f])), expected: '02017f' },
  { why: 'a needed zero stays', bytes: unsignedInteger(Buffer.from([0, 0xff])), expected: '020200ff' },
  { why: 'identifiers use base 128', bytes: objectIdentifier('1.2.840.10045.4.3.2'), expected: '06082a8648ce3d040302' },
  { why: 'short lengths take one octet', bytes: octetString(Buffer.alloc(127)).subarray(0, 2), expected: '047f' },
  { why: 'from 128 on a count comes first', bytes: octetString(Buffer.alloc(128)).subarray(0, 3), expected: '048180' },
  { why: 'long lengths are big-endian', bytes: octetString(Buffer.alloc(300)).subarray(0, 4), expected: '0482012c' },
  { why: 'an empty sequence', bytes: sequence(), expected: '3000' },
  { why: 'named bits drop trailing zeros', bytes: namedBits([0]), expected: '03020780' },
  { why: 'several named bits share an octet', bytes: namedBits([5, 6]), expected: '03020106' },
  { why: 'the ninth named bit opens an octet', bytes: namedBits([8]), expected: '0303070080' },
];

for (const { why, bytes, expected } of cases) {
  test(`DER: ${why}`, () => assert.equal(hex(bytes), expected));
}

const times: readonly { instant: string; tag: number; text: string }[] = [
  { instant: '2026-11-16T02:03:04.999Z', tag: 0x17, text: '261116020304Z' },
  { instant: '2049-12-31T23:59:59Z', tag: 0x17, text: '491231235959Z' },
  { instant: '2050-01-01T00:00:00Z', tag: 0x18, text: '20500101000000Z' },
  { instant: '1950-01-01T00:00:00Z', tag: 0x17, text: '500101000000Z' },
  { instant: '1949-12-31T00:00:00Z', tag: 0x18, text: '19491231000000Z' },
];

for (const { instant, tag, text } of times) {
  test(`the time ${instant} is written as ${text}`, () => {
    const bytes = time(new Date(instant));
    assert.equal(bytes[0], tag);
    assert.equal(bytes.subarray(2).toString('ascii'), text);
  });
}

test('what the writer wrote, the reader finds again', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 5 }), parts => {
      const read = readElements(element(0x30, ...parts.map(octetString)));
      assert.equal(read.length, 1);
      const inner = readElements(read[0]?.contents ?? Buffer.alloc(0));
      assert.deepEqual(
        inner.map(part => hex(part.contents)),
        parts.map(hex),
      );
    }),
  );
});

test('the reader rejects a document that was cut short', () => {
  const whole = sequence(octetString(Buffer.alloc(200)));
  for (const length of [1, 2, 100]) {
    assert.throws(() => readElements(whole.subarray(0, length)), { code: 'MalformedDer' });
  }
});
