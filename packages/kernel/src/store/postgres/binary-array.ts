/**
 * Arrays as PostgreSQL takes them in binary, for parameters that are long or frequent: nothing is quoted and escaped
 * here, nothing parsed there. The driver sends every Buffer as it is.
 */

/** The server rejects an array whose elements it knows by another number. */
const types = { bytea: 17, bigint: 20, integer: 23, text: 25 } as const;

const headerSize = 20;
const lengthSize = 4;
const maxBytesPerUnit = 3;

export function textArray(texts: readonly string[]): Buffer {
  let room = headerSize;
  for (const text of texts) room += lengthSize + text.length * maxBytesPerUnit;
  const buffer = Buffer.allocUnsafe(room);
  let end = writeHeader(buffer, types.text, texts.length);
  for (const text of texts) {
    const size = buffer.write(text, end + lengthSize);
    buffer.writeInt32BE(size, end);
    end += lengthSize + size;
  }
  return buffer.subarray(0, end);
}

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  let room = headerSize;
  for (const { length } of values) room += lengthSize + length;
  const buffer = Buffer.allocUnsafe(room);
  let end = writeHeader(buffer, types.bytea, values.length);
  for (const value of values) {
    end = buffer.writeInt32BE(value.length, end);
    buffer.set(value, end);
    end += value.length;
  }
  return buffer.subarray(0, end);
}

export function integerArray(numbers: readonly number[]): Buffer {
  const size = 4;
  const buffer = Buffer.allocUnsafe(headerSize + numbers.length * (lengthSize + size));
  let end = writeHeader(buffer, types.integer, numbers.length);
  for (const number of numbers) {
    end = buffer.writeInt32BE(size, end);
    end = buffer.writeInt32BE(number, end);
  }
  return buffer.subarray(0, end);
}

/** Of numbers that JavaScript holds exactly. */
export function bigintArray(numbers: readonly (number | null)[]): Buffer {
  const size = 8;
  const buffer = Buffer.allocUnsafe(headerSize + numbers.length * (lengthSize + size));
  let end = writeHeader(buffer, types.bigint, numbers.length);
  for (const number of numbers) {
    end = buffer.writeInt32BE(number === null ? -1 : size, end);
    if (number === null) continue;
    end = buffer.writeInt32BE(Math.floor(number / 0x1_0000_0000), end);
    end = buffer.writeUInt32BE(number >>> 0, end);
  }
  return buffer.subarray(0, end);
}

/** Dimensions, whether there may be nulls, type, then length and first index of the one dimension; none when empty. */
function writeHeader(buffer: Buffer, type: number, count: number): number {
  buffer.writeInt32BE(count === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(type, 8);
  if (count === 0) return 12;
  buffer.writeInt32BE(count, 12);
  return buffer.writeInt32BE(1, 16);
}
