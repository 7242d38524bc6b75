// A tiny encoder for tests: just enough to write what Go clients write.

/** The varint of a number, as a client would send it. */
export function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}

const tag = (number: number, wireType: number): number[] => varint(number * 8 + wireType);

/** A field that holds a number or a boolean. */
export const number = (field: number, value: number | bigint): number[] => [...tag(field, 0), ...varint(value)];

/** A field that holds bytes: a message, most often. */
export const bytes = (field: number, value: readonly number[]): number[] => [
  ...tag(field, 2),
  ...varint(value.length),
  ...value,
];

/** A field that holds text. */
export const text = (field: number, value: string): number[] => bytes(field, [...new TextEncoder().encode(value)]);

/** A field that holds a double. */
export function double(field: number, value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return [...tag(field, 1), ...new Uint8Array(view.buffer)];
}

/** One entry of a map. */
export const entry = (field: number, key: string, value: readonly number[]): number[] =>
  bytes(field, [...text(1, key), ...value]);

/** A whole body: the magic bytes, the type and the object. */
export const envelope = (apiVersion: string, kind: string, raw: readonly number[]): Uint8Array =>
  Uint8Array.from([
    ...[0x6b, 0x38, 0x73, 0x00],
    ...bytes(1, [...text(1, apiVersion), ...text(2, kind)]),
    ...bytes(2, raw),
    ...text(3, ''),
    ...text(4, ''),
  ]);
