/**
 * The part of ASN.1's Distinguished Encoding Rules (X.690) that X.509 certificates need.
 *
 * Our own, because the mesh issues thousands of certificates per second: this costs microseconds beside the signature.
 */

/** Identifier octets of the types in use. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Tag, length, contents. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(length)]), ...contents]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

/** Members in order. */
export const sequence = (...members: readonly Uint8Array[]): Buffer => element(tags.sequence, ...members);
/** A set of one member; more would have to be sorted. */
export const setOf = (member: Uint8Array): Buffer => element(tags.set, member);
/** Bytes. */
export const octetString = (bytes: Uint8Array): Buffer => element(tags.octetString, bytes);
/** Text. */
export const utf8String = (text: string): Buffer => element(tags.utf8String, Buffer.from(text, 'utf8'));
/** Truth; DER allows only all ones for true. */
export const boolean = (value: boolean): Buffer => element(tags.boolean, Buffer.from([value ? 0xff : 0x00]));

/** `[n]` around complete elements. */
export const explicitContext = (n: number, ...members: readonly Uint8Array[]): Buffer => element(0xa0 | n, ...members);
/** `[n]` in place of a primitive element's own tag. */
export const implicitContext = (n: number, bytes: Uint8Array): Buffer => element(0x80 | n, bytes);

/** A non-negative integer from its big-endian bytes, in the shortest form. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const magnitude = bytes.subarray(start);
  // A leading zero octet keeps a high first bit from meaning "negative".
  const needsZero = magnitude.length === 0 || (magnitude[0] ?? 0) >= 0x80;
  return needsZero ? element(tags.integer, Buffer.from([0]), magnitude) : element(tags.integer, magnitude);
}

/** A bit string; `unusedBits` counts the bits at the end that do not belong to it. */
export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  element(tags.bitString, Buffer.from([unusedBits]), bytes);

/** A bit string of named bits (bit 0 first), without trailing zeros as DER demands. */
export function namedBits(bits: readonly number[]): Buffer {
  if (bits.length === 0) return bitString(new Uint8Array(0));
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc(Math.floor(highest / 8) + 1);
  for (const bit of bits) {
    const at = Math.floor(bit / 8);
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (bit % 8));
  }
  return bitString(bytes, 7 - (highest % 8));
}

/** An object identifier from its dotted form. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const octets = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift(0x80 | (rest % 128));
  return octets;
}

/** UTCTime up to 2049, GeneralizedTime from 2050 (and before 1950), as RFC 5280, 4.1.2.5 demands. Whole seconds. */
export function time(instant: Date): Buffer {
  const digits = instant
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const year = instant.getUTCFullYear();
  if (year >= 1950 && year < 2050) return element(tags.utcTime, Buffer.from(digits.slice(2), 'ascii'));
  return element(tags.generalizedTime, Buffer.from(digits, 'ascii'));
}
