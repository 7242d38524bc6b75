/** Frames a message for gRPC, without compression. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(message.byteLength + 5);
  frame[0] = 0;
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}

/** Reassembles the messages of a stream. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the messages that this piece completes. */
  push(piece: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const messages: Buffer[] = [];
    while (this.#rest.length >= 5) {
      const end = 5 + this.#rest.readUInt32BE(1);
      if (this.#rest.length < end) break;
      messages.push(this.#rest.subarray(5, end));
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}
