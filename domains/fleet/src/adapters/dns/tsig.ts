import { createHmac, timingSafeEqual } from 'node:crypto';
import { encodeName, findLastRecord } from './wire.ts';

/** The algorithms of keys, by the names that configurations use. */
export const tsigAlgorithms = {
  'hmac-sha256': 'sha256',
  'hmac-sha384': 'sha384',
  'hmac-sha512': 'sha512',
} as const;

/** One of {@link tsigAlgorithms}. */
export type TsigAlgorithm = keyof typeof tsigAlgorithms;

/** A key shared with a DNS server. */
export interface TsigKey {
  readonly name: string;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

/** A signed message, with what is needed to check the response. */
export interface SignedMessage {
  readonly bytes: Buffer;
  readonly mac: Buffer;
}

const tsigType = 250;
const anyClass = 255;
const additionalCountAt = 10;
/** Clocks may differ by this much (RFC 8945, 10). */
const fudgeSeconds = 300;

/** Errors in a TSIG record (RFC 8945, 5). */
const tsigErrors: Readonly<Record<number, string>> = { 16: 'BADSIG', 17: 'BADKEY', 18: 'BADTIME', 22: 'BADTRUNC' };

/** Signs a message (RFC 8945, 5.1): its MAC goes into a record at the end. */
export function signMessage(message: Buffer, key: TsigKey, now: Date): SignedMessage {
  const times = timesOf(now);
  const mac = macOf(key, [message, variables(key, { times, error: 0, other: Buffer.alloc(0) })]);
  const data = Buffer.concat([encodeName(key.algorithm), times, sized(mac), message.subarray(0, 2), Buffer.alloc(4)]);
  const record = Buffer.concat([
    encodeName(key.name),
    uint16(tsigType),
    uint16(anyClass),
    Buffer.alloc(4),
    sized(data),
  ]);
  const bytes = Buffer.concat([message, record]);
  bytes.writeUInt16BE(bytes.readUInt16BE(additionalCountAt) + 1, additionalCountAt);
  return { bytes, mac };
}

/** Checks the MAC of a response. Returns what is wrong with it, undefined when it is genuine. */
export function whyNotGenuine(response: Buffer, request: SignedMessage, key: TsigKey, now: Date): string | undefined {
  const last = findLastRecord(response);
  if (last?.type !== tsigType) return 'it is not signed';
  const { times, mac, error, other } = readTsig(last.data);
  if (error !== 0 && mac.length === 0) return tsigErrors[error] ?? `TSIG error ${error}`;
  const unsigned = Buffer.from(response.subarray(0, last.start));
  unsigned.writeUInt16BE(unsigned.readUInt16BE(additionalCountAt) - 1, additionalCountAt);
  const expected = macOf(key, [sized(request.mac), unsigned, variables(key, { times, error, other })]);
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return 'its signature is wrong';
  if (error !== 0) return tsigErrors[error] ?? `TSIG error ${error}`;
  const skewSeconds = Math.abs(times.readUIntBE(0, 6) - now.getTime() / 1000);
  return skewSeconds > fudgeSeconds ? 'it was signed too long ago' : undefined;
}

interface TsigVariables {
  /** Time signed and fudge. */
  readonly times: Buffer;
  readonly error: number;
  readonly other: Buffer;
}

const variables = (key: TsigKey, { times, error, other }: TsigVariables): Buffer =>
  Buffer.concat([
    encodeName(key.name.toLowerCase()),
    uint16(anyClass),
    Buffer.alloc(4),
    encodeName(key.algorithm),
    times,
    uint16(error),
    sized(other),
  ]);

function readTsig(data: Buffer): TsigVariables & { readonly mac: Buffer } {
  const times = data.indexOf(0) + 1;
  const macAt = times + 8;
  const mac = data.subarray(macAt + 2, macAt + 2 + data.readUInt16BE(macAt));
  const rest = data.subarray(macAt + 2 + mac.length);
  // The rest is the original id, the error, and other data with its length.
  return { times: data.subarray(times, macAt), mac, error: rest.readUInt16BE(2), other: rest.subarray(6) };
}

function timesOf(now: Date): Buffer {
  const times = Buffer.alloc(8);
  times.writeUIntBE(Math.floor(now.getTime() / 1000), 0, 6);
  times.writeUInt16BE(fudgeSeconds, 6);
  return times;
}

function macOf(key: TsigKey, parts: readonly Uint8Array[]): Buffer {
  const hmac = createHmac(tsigAlgorithms[key.algorithm], key.secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([uint16(bytes.length), bytes]);

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
