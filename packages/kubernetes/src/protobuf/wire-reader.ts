import { badRequest, int64Of } from '@chandlery/api';

const MAX_VARINT_BYTES = 10;
const MAX_COUNT_BYTES = 5;
const MAX_FIELD_NUMBER = 2 ** 29 - 1;

/** How a field's value is laid out on the wire. Groups (3 and 4) are not used by Kubernetes. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const decoder = new TextDecoder('utf-8', { fatal: true });

const malformed = (why: string) => badRequest(`the protobuf body is malformed: ${why}`);

/**
 * Reads protobuf's wire format from a slice of bytes.
 *
 * Trusts nothing: every read checks the end, no read allocates more than the input holds, and anything odd is a
 * `BadRequest`.
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** The number and wire type of the next field. */
  readTag(): { readonly number: number; readonly wireType: number } {
    const tag = this.#readCount();
    const number = Math.floor(tag / 8);
    if (number === 0 || number > MAX_FIELD_NUMBER) throw malformed(`field number ${number} is out of range`);
    return { number, wireType: tag % 8 };
  }

  /** A varint as a signed number; exact up to 2^53. For what is no int64 in Kubernetes. */
  readInteger(): number {
    return Number(this.readInt64());
  }

  /** A varint as an exact int64: a bigint only where a number would not be exact. */
  readInt64(): number | bigint {
    const byte = this.#bytes[this.#position];
    // Most numbers are small, and bigints are slow.
    if (byte !== undefined && byte < 0x80) return this.#readByte();
    return int64Of(BigInt.asIntN(64, this.#readVarint())) ?? 0;
  }

  readBool(): boolean {
    return this.#readVarint() !== 0n;
  }

  readDouble(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** A length and so many bytes; a view on the input, not a copy. */
  readBytes(): Uint8Array {
    const length = this.#readCount();
    if (length > this.#bytes.length - this.#position) throw malformed('a field is longer than its message');
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  readText(): string {
    const bytes = this.readBytes();
    try {
      return decoder.decode(bytes);
    } catch {
      throw malformed('a string is not valid UTF-8');
    }
  }

  /** Skips a value. */
  skip(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        this.#readVarint();
        return;
      case wireTypes.fixed64:
        this.#take(8);
        return;
      case wireTypes.bytes:
        this.readBytes();
        return;
      case wireTypes.fixed32:
        this.#take(4);
        return;
      default:
        throw malformed(`wire type ${wireType} is not supported`);
    }
  }

  #readVarint(): bigint {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = this.#readByte();
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return value;
    }
    throw malformed('a varint is too long');
  }

  /** A tag or a length: a varint of at most 35 bits. */
  #readCount(): number {
    let value = 0;
    for (let index = 0; index < MAX_COUNT_BYTES; index += 1) {
      const byte = this.#readByte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw malformed('a length is too large');
  }

  #readByte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  /** Moves on and returns where it was. */
  #take(length: number): number {
    const start = this.#position;
    if (start + length > this.#bytes.length) throw malformed('it ends in the middle of a field');
    this.#position = start + length;
    return start;
  }
}
