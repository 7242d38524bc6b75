import { ChandleryError } from '@chandlery/api';
import { shake128 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** A UUID of version 8, derived from the parts. */
export function uuid8(...parts: readonly string[]): string {
  const bytes = shake(parts, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytesToHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Eight letters and digits, derived from the parts. */
export function hash8(...parts: readonly string[]): string {
  let bits = BigInt(`0x${bytesToHex(shake(parts, 5))}`);
  let text = '';
  for (let index = 0; index < 8; index++) {
    text = `${alphabet[Number(bits & 31n)] ?? ''}${text}`;
    bits >>= 5n;
  }
  return text;
}

/**
 * The text, or as much of it as fits with a hash of the whole at its end. Default 63: the limit of names and label
 * values.
 */
export function shorten(text: string, max = 63): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 10).replace(/[-.]+$/, '')}--${hash8(text)}`;
}

/**
 * The namespace of a control plane on the platform cluster. It stays the same when the landscape is restored elsewhere.
 */
export const tenantNamespace = (namespace: string, controlPlane: string): string =>
  `mcp--${uuid8(namespace, controlPlane)}`;

/** Computed without Node.js: browsers derive the same names. */
function shake(parts: readonly string[], length: number): Uint8Array {
  if (parts.every(part => part === '')) {
    throw new ChandleryError('NothingToHash', 'a name cannot be made of nothing: all its parts are empty');
  }
  return shake128(new TextEncoder().encode(parts.join('/')), { dkLen: length });
}
