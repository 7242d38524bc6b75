import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import fc from 'fast-check';
import { frameMessage } from '../../xds/frame-message.ts';
import { MessageReader } from './message-reader.ts';

function readAll(pieces: Iterable<Buffer>): Buffer[] {
  const reader = new MessageReader(1_000);
  const messages: Buffer[] = [];
  for (const piece of pieces) {
    reader.push(piece);
    for (let message = reader.next(); message !== undefined; message = reader.next()) messages.push(message);
  }
  return messages;
}

function* cut(bytes: Buffer, lengths: readonly number[]): Iterable<Buffer> {
  let start = 0;
  for (const length of lengths) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
  yield bytes.subarray(start);
}

test('messages are reassembled however the bytes are split', () => {
  const message = fc.uint8Array({ maxLength: 60 });
  const lengths = fc.array(fc.nat(30), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), lengths, (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(frameMessage));
      assert.deepEqual(
        readAll(cut(bytes, cuts)),
        messages.map(each => Buffer.from(each)),
      );
    }),
  );
});

test('a message in one chunk is not copied', () => {
  const frame = frameMessage(Buffer.from('hello'));
  const [message] = readAll([frame]);
  assert.equal(message?.buffer, frame.buffer);
});

for (const { why, head, code } of [
  { why: 'longer than allowed', head: [0, 0, 0, 4, 0], code: 'MessageTooLong' },
  { why: 'compressed', head: [1, 0, 0, 0, 1], code: 'InvalidMessage' },
]) {
  test(`a message that is ${why} is rejected before it is complete`, () => {
    assert.throws(
      () => readAll([Buffer.from(head)]),
      (error: unknown) => error instanceof ChandleryError && error.code === code,
    );
  });
}
