import { createHash } from 'node:crypto';
import { Failure, fail } from '../../values/failure.ts';
import { goJson, goJsonIndented, goJsonRaw } from '../../values/json-text.ts';
import type { Meter } from '../../values/meter.ts';
import type { Value } from '../../values/value.ts';
import { decodeBase64, encodeBase64 } from '../encoding.ts';
import { parseGoJson } from '../json.ts';
import { type SprigTable, sprig } from './signature.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encodeBase32(text: string): string {
  const bits = Array.from(Buffer.from(text), byte => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{1,5}/g) ?? []).map(group => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '');
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
}

/** Errors become the text, as in sprig. */
function decodeBase32(text: string): string {
  const clean = text.replaceAll(/[\r\n]/g, '');
  if (!/^[A-Z2-7]*={0,6}$/.test(clean) || clean.length % 8 !== 0) {
    return `illegal base32 data at input byte ${/[^A-Z2-7]/.exec(clean)?.index ?? clean.length}`;
  }
  const bits = Array.from(clean.replaceAll('=', ''), digit =>
    alphabet.indexOf(digit).toString(2).padStart(5, '0'),
  ).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2));
  return Buffer.from(bytes).toString();
}

/** The value, or what stands for it when it fails. */
function orElse<T>(run: () => T, otherwise: (message: string) => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Failure) return otherwise(error.message);
    throw error;
  }
}

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of Buffer.from(text)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

const hash = (algorithm: string): SprigTable[string] =>
  sprig('string', args => createHash(algorithm).update(args.text(0)).digest('hex'));

/** A writer of JSON, with and without `must`; without it what has no JSON is an empty text. */
const writer = (name: string, write: (value: Value, meter: Meter) => string): SprigTable => ({
  [name]: sprig('any', (args, { meter }) =>
    orElse(
      () => write(args.any(0), meter),
      message => (name === 'toRawJson' ? fail(message) : ''),
    ),
  ),
  [`mustT${name.slice(1)}`]: sprig('any', (args, { meter }) => write(args.any(0), meter)),
});

/** sprig's functions for encodings and checksums. */
export const encodingFunctions: SprigTable = {
  b64enc: sprig('string', args => encodeBase64(args.text(0))),
  b64dec: sprig('string', args =>
    orElse(
      () => decodeBase64(args.text(0)),
      message => message,
    ),
  ),
  b32enc: sprig('string', args => encodeBase32(args.text(0))),
  b32dec: sprig('string', args => decodeBase32(args.text(0))),
  sha1sum: hash('sha1'),
  sha256sum: hash('sha256'),
  sha512sum: hash('sha512'),
  adler32sum: sprig('string', args => adler32(args.text(0))),
  fromJson: sprig('string', (args, { meter }) =>
    orElse<Value>(
      () => parseGoJson(args.text(0), meter),
      () => null,
    ),
  ),
  mustFromJson: sprig('string', (args, { meter }) => parseGoJson(args.text(0), meter)),
  ...writer('toJson', goJson),
  ...writer('toPrettyJson', goJsonIndented),
  ...writer('toRawJson', goJsonRaw),
};
