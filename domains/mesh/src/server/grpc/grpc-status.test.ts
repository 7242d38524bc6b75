import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { grpcCodes, parseTimeoutMs, statusTrailers } from './grpc-status.ts';

test('the codes are those of the gRPC library', () => {
  for (const [name, code] of Object.entries(grpcCodes)) assert.equal(status[code], name);
});

test('every message is encoded as printable ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), message => {
      const { 'grpc-message': encoded = '' } = statusTrailers('INTERNAL', message);
      assert.match(encoded, /^[ -~]+$/);
      assert.equal(decodeURIComponent(encoded), message);
    }),
  );
  assert.equal(statusTrailers('ABORTED', 'half \ud800 a pair')['grpc-message'], 'half %EF%BF%BD a pair');
  assert.deepEqual(statusTrailers('OK', ''), { 'grpc-status': '0' });
});

for (const [text, ms] of [
  ['5S', 5_000],
  ['100m', 100],
  ['2H', 7_200_000],
  ['3M', 180_000],
  ['1u', 1],
  ['1n', 1],
  ['0n', 0],
  ['99999999H', 2 ** 31 - 1],
  ['', undefined],
  ['5', undefined],
  ['-5S', undefined],
  ['123456789S', undefined],
  ['5s', undefined],
] as const) {
  test(`a grpc-timeout of "${text}" is ${ms} ms`, () => assert.equal(parseTimeoutMs(text), ms));
}
