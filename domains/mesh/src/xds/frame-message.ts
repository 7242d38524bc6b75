/** Length of the head of a gRPC message: compression flag and message length. */
export const frameHeadBytes = 5;

/** Frames a message for gRPC, without compression. A frame can be written to any number of streams. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + message.length);
  frame.set(message, frameHeadBytes);
  return writeFrameHead(frame);
}

/** Writes the head of a frame whose message is already in place. */
export function writeFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - frameHeadBytes, 1);
  return frame;
}
