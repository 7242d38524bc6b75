import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameReader } from './frame-reader.ts';
import { type FrameHead, frameFlags, frameTypes } from './http2-frames.ts';
import { Outbox } from './outbox.ts';

function framesOf(...frames: readonly (readonly [head: FrameHead, payload: string])[]): Buffer {
  const outbox = new Outbox();
  for (const [head, payload] of frames) outbox.add(head, Buffer.from(payload));
  return outbox.take();
}

const data = (streamId: number, flags: number = frameFlags.none): FrameHead => ({
  type: frameTypes.data,
  flags,
  streamId,
});
const ping: FrameHead = { type: frameTypes.ping, flags: frameFlags.none, streamId: 0 };

/** The data of each stream, and the other frames. */
function read(bytes: Buffer, chunkBytes: number): { said: Record<number, string>; others: string[] } {
  const said: Record<number, string> = {};
  const others: string[] = [];
  const reader = new FrameReader({
    onData: (streamId, piece) => (said[streamId] = (said[streamId] ?? '') + piece.toString()),
    onFrame: ({ type, streamId }, payload) => others.push(`${type} ${streamId} ${payload.toString()}`),
  });
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = Buffer.from(bytes.subarray(start, start + chunkBytes));
    reader.push(chunk);
    // The chunk is reused by the next read.
    chunk.fill(0xff);
  }
  return { said, others };
}

test('frames are recognized however the bytes are split', () => {
  const bytes = framesOf(
    [data(1), 'hello '],
    [ping, '12345678'],
    [data(3), ''],
    [data(3), 'you'],
    [data(1), 'registry'],
  );
  for (let chunkBytes = 1; chunkBytes <= bytes.length; chunkBytes++) {
    const { said, others } = read(bytes, chunkBytes);
    assert.deepEqual(said, { 1: 'hello registry', 3: 'you' }, `in chunks of ${chunkBytes}`);
    assert.deepEqual(others, ['6 0 12345678'], `in chunks of ${chunkBytes}`);
  }
});

test('the end of a stream and padding are rejected', () => {
  const refuses = (flags: number, why: RegExp): void =>
    assert.throws(() => read(framesOf([data(1, flags), 'x']), 100), why);
  refuses(frameFlags.endStream, /the server ended stream 1/);
  refuses(frameFlags.padded, /pads/);
});
