/** Protobuf's wire format, for the one message that is encoded too often for reflection. */

/** Encoded size of an integer below 2^32. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/** Writes an integer below 2^32; returns the offset behind it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let rest = value;
  let at = offset;
  while (rest >= 0x80) {
    target[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  target[at++] = rest;
  return at;
}

/** Appends the fields of a small message. Field numbers must be below 16. */
export class MessageBytes {
  readonly #parts: number[] = [];

  /** Omitted when 0, as in proto3. */
  number(field: number, value: number): this {
    if (value === 0) return this;
    this.#parts.push(field << 3);
    this.#varint(value);
    return this;
  }

  /** Omitted when empty, as in proto3. */
  text(field: number, value: string): this {
    return value === '' ? this : this.message(field, Buffer.from(value));
  }

  message(field: number, bytes: Iterable<number> & { readonly length: number }): this {
    this.#parts.push((field << 3) | 2);
    this.#varint(bytes.length);
    this.#parts.push(...bytes);
    return this;
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#parts);
  }

  #varint(value: number): void {
    const bytes = new Uint8Array(varintSize(value));
    writeVarint(bytes, 0, value);
    this.#parts.push(...bytes);
  }
}
