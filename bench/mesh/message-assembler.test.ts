import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameMessage } from '../../domains/mesh/src/xds/frame-message.ts';
import { MessageAssembler } from './message-assembler.ts';
import { SpareBuffers } from './spare-buffers.ts';

const messages = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(300, 'long'), Buffer.from('last')];
const stream = Buffer.concat(messages.map(frameMessage));

function assemble(bytes: Buffer, pieceBytes: number): Buffer[] {
  const assembled: Buffer[] = [];
  const assembler = new MessageAssembler(new SpareBuffers(), message => assembled.push(Buffer.from(message)));
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const piece = Buffer.from(bytes.subarray(start, start + pieceBytes));
    assembler.push(piece);
    // The piece is reused by the next read.
    piece.fill(0xff);
  }
  return assembled;
}

test('messages are unchanged however the bytes are split', () => {
  for (let pieceBytes = 1; pieceBytes <= stream.length; pieceBytes++) {
    assert.deepEqual(assemble(stream, pieceBytes), messages, `in pieces of ${pieceBytes}`);
  }
});

test('a message that is longer than a spare buffer gets a larger one', () => {
  const long = Buffer.alloc(200_000, 'long');
  for (const pieceBytes of [3, 16_384]) assert.deepEqual(assemble(frameMessage(long), pieceBytes), [long]);
});

test('a compressed message is rejected', () => {
  assert.throws(() => assemble(Buffer.from([1, 0, 0, 0, 0]), 5), /compressed/);
});
