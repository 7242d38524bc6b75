import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '@chandlery/platform';

const alphabet = '0123456789abcdefghijklmnopqrstuv';
const idLength = 20;
const counterEnd = 2 ** 24;

/**
 * Makes ids of 20 characters (xid): four bytes of time, five of the process, three of a counter, in lower-case base32hex.
 * Those of one generator rise strictly; those of several are ordered by the second.
 */
export function createFleetIds(clock: Clock): () => string {
  const process = randomBytes(5);
  let second = 0;
  let counter = 0;
  return () => {
    const now = Math.floor(clock.now().getTime() / 1000);
    if (now > second || counter + 1 >= counterEnd) {
      second = Math.max(now, second + 1);
      counter = randomInt(counterEnd / 4);
    } else counter++;
    return encode(second, process, counter);
  };
}

function encode(second: number, process: Buffer, counter: number): string {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(second, 0);
  process.copy(bytes, 4);
  bytes.writeUIntBE(counter, 9, 3);
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  // 96 bits fill 19 characters and one bit of the twentieth.
  bits <<= 4n;
  let id = '';
  for (let index = 0; index < idLength; index++, bits >>= 5n) id = alphabet[Number(bits & 31n)] + id;
  return id;
}
