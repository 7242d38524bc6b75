import { ChandleryError } from '@chandlery/api';

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Reads untrusted protobuf messages field by field. Copies only strings; any invalid bytes throw `InvalidMessage`. */
export class WireReader {
  readonly #bytes: Buffer;
  #position = 0;
  #wireType = 0;
  /** The low 32 bits of the last varint. */
  #low = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Returns the number of the next field, 0 at the end. The caller must then read or skip its value. */
  nextField(): number {
    if (this.#position === this.#bytes.length) return 0;
    const tag = this.#varint();
    this.#wireType = tag % 8;
    const field = Math.floor(tag / 8);
    if (field === 0 || field > 0x1fff_ffff) throw invalidMessage('it has a field without a number');
    return field;
  }

  /** Reads a string; invalid UTF-8 is replaced. */
  string(): string {
    const [start, end] = this.#range();
    return this.#bytes.toString('utf8', start, end);
  }

  /** Reads bytes or a message, as a view without a copy. */
  bytes(): Buffer {
    const [start, end] = this.#range();
    return this.#bytes.subarray(start, end);
  }

  /** Reads an embedded message. */
  message(): WireReader {
    return new WireReader(this.bytes());
  }

  /** Reads a signed 32-bit number; higher bits are truncated, as in protobuf. */
  int32(): number {
    this.#expect(wireTypes.varint);
    this.#varint();
    return this.#low | 0;
  }

  /** Reads a boolean: any number except zero is true. */
  bool(): boolean {
    this.#expect(wireTypes.varint);
    return this.#varint() !== 0;
  }

  double(): number {
    this.#expect(wireTypes.fixed64);
    const start = this.#position;
    this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  skip(): void {
    switch (this.#wireType) {
      case wireTypes.varint:
        this.#varint();
        return;
      case wireTypes.fixed64:
        this.#advance(8);
        return;
      case wireTypes.bytes:
        this.#range();
        return;
      case wireTypes.fixed32:
        this.#advance(4);
        return;
      default:
        throw invalidMessage(`it has a field of the unknown wire type ${this.#wireType}`);
    }
  }

  #range(): [number, number] {
    this.#expect(wireTypes.bytes);
    const length = this.#varint();
    const start = this.#position;
    this.#advance(length);
    return [start, this.#position];
  }

  #advance(length: number): void {
    if (length > this.#bytes.length - this.#position) throw invalidMessage('it ends in the middle of a field');
    this.#position += length;
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) throw invalidMessage('a field has the wrong type');
  }

  /** Exact up to 53 bits, which exceeds any valid length or tag. */
  #varint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw invalidMessage('it ends in the middle of a number');
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high = (byte & 0x7f) >> 4;
      } else high += (byte & 0x7f) * 2 ** (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        return high * 0x1_0000_0000 + (low >>> 0);
      }
    }
    throw invalidMessage('it has a number of more than ten bytes');
  }
}

const invalidMessage = (why: string): ChandleryError =>
  new ChandleryError('InvalidMessage', `cannot read the message: ${why}`, {
    hint: 'Check that the client speaks xDS v3.',
  });
