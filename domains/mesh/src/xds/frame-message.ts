/** What gRPC puts before each message: whether it is compressed, and its length. */
export const frameHeadBytes = 5;

/** A message as gRPC puts it on a stream, not compressed. Made once, it can be written to any number of streams. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + message.length);
  frame.set(message, frameHeadBytes);
  return writeFrameHead(frame);
}

/** Completes a frame in which there is a message behind the room for the head. */
export function writeFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - frameHeadBytes, 1);
  return frame;
}
