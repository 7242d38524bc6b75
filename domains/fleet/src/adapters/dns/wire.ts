import dnsPacket from 'dns-packet';

const headerBytes = 12;
const pointerBits = 0xc0;

/** The last record of a message. */
export interface LastRecord {
  readonly start: number;
  readonly type: number;
  readonly data: Buffer;
}

/** A name as labels with their lengths. */
export const encodeName = (name: string): Buffer =>
  dnsPacket.encode({ questions: [{ name, type: 'A' }] }).subarray(headerBytes, -4);

/** Returns where the last record of a message is; undefined when it has none. Throws when the message is malformed. */
export function findLastRecord(message: Buffer): LastRecord | undefined {
  const counts = [4, 6, 8, 10].map(at => message.readUInt16BE(at));
  const [questions = 0, ...recordCounts] = counts;
  let at = headerBytes;
  for (let index = 0; index < questions; index += 1) at = afterName(message, at) + 4;
  let last: LastRecord | undefined;
  for (let left = recordCounts.reduce((sum, count) => sum + count, 0); left > 0; left -= 1) {
    const fixed = afterName(message, at);
    const end = fixed + 10 + message.readUInt16BE(fixed + 8);
    if (end > message.length) throw new Error('a record is longer than its message');
    last = { start: at, type: message.readUInt16BE(fixed), data: message.subarray(fixed + 10, end) };
    at = end;
  }
  return last;
}

function afterName(message: Buffer, start: number): number {
  let at = start;
  for (let length = message.readUInt8(at); length !== 0; length = message.readUInt8(at)) {
    if ((length & pointerBits) === pointerBits) return at + 2;
    at += length + 1;
  }
  return at + 1;
}
