import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { WalPosition } from './wal-file.ts';

/** How far the store has acknowledged writes. */
export interface AcknowledgedPosition extends WalPosition {
  readonly revision: number;
  /** The log may be removed (`closing`), or need not exist (`closed`), because all of it is in the database. */
  readonly state: 'open' | 'closing' | 'closed';
}

const slotSize = 64;
const slotCount = 2;
const magic = 0x63_68_6d_31;
const states = ['open', 'closing', 'closed'] as const;
const sumOffset = slotSize - 4;

/**
 * The mark beside the database: up to where writes were acknowledged. It is written after each group of commits, before
 * they are acknowledged, and not synced: the system keeps it when the process is killed. After a loss of power it may be
 * older than the log, never newer. Two slots are written in turn, so that a torn write leaves the other.
 */
export class CommitMark implements Disposable {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(slotSize);
  #sequence: number;
  #last: AcknowledgedPosition | undefined;

  constructor(path: string) {
    const known = readMark(path);
    this.#last = known.acknowledged;
    this.#sequence = known.sequence;
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    // Both slots hold something valid from now on.
    const start = this.#last ?? { revision: 0, salt1: 0, salt2: 0, frame: 0, sum1: 0, sum2: 0, state: 'closed' };
    for (let slot = 0; slot < slotCount; slot++) this.write(start);
  }

  get last(): AcknowledgedPosition | undefined {
    return this.#last;
  }

  write(acknowledged: AcknowledgedPosition): void {
    const buffer = this.#buffer;
    this.#last = acknowledged;
    this.#sequence++;
    buffer.writeUInt32BE(magic, 0);
    buffer.writeUInt32BE(states.indexOf(acknowledged.state), 4);
    buffer.writeBigUInt64BE(BigInt(this.#sequence), 8);
    buffer.writeBigUInt64BE(BigInt(acknowledged.revision), 16);
    buffer.writeUInt32BE(acknowledged.salt1, 24);
    buffer.writeUInt32BE(acknowledged.salt2, 28);
    buffer.writeUInt32BE(acknowledged.frame, 32);
    buffer.writeUInt32BE(acknowledged.sum1, 36);
    buffer.writeUInt32BE(acknowledged.sum2, 40);
    buffer.writeUInt32BE(crc32(buffer.subarray(0, sumOffset)), sumOffset);
    writeSync(this.#file, buffer, 0, slotSize, (this.#sequence % slotCount) * slotSize);
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** What a mark says; `isDamaged` when any byte of it is not what was written. */
export interface ReadMark {
  readonly acknowledged: AcknowledgedPosition | undefined;
  readonly sequence: number;
  readonly exists: boolean;
  readonly isDamaged: boolean;
}

export function readMark(path: string): ReadMark {
  const bytes = readIfPresent(path);
  if (bytes === undefined) return { acknowledged: undefined, sequence: 0, exists: false, isDamaged: false };
  const slots = Array.from({ length: slotCount }, (_, slot) => readSlot(bytes, slot));
  const valid = slots.filter(slot => slot !== undefined).toSorted((a, b) => b.sequence - a.sequence);
  return {
    acknowledged: valid[0]?.acknowledged,
    sequence: valid[0]?.sequence ?? 0,
    exists: true,
    isDamaged: valid.length < slotCount || bytes.length !== slotCount * slotSize,
  };
}

function readSlot(bytes: Buffer, slot: number): { acknowledged: AcknowledgedPosition; sequence: number } | undefined {
  const part = bytes.subarray(slot * slotSize, (slot + 1) * slotSize);
  if (part.length < slotSize || part.readUInt32BE(0) !== magic) return undefined;
  if (part.readUInt32BE(sumOffset) !== crc32(part.subarray(0, sumOffset))) return undefined;
  const acknowledged = {
    state: states[part.readUInt32BE(4)] ?? 'open',
    revision: Number(part.readBigUInt64BE(16)),
    salt1: part.readUInt32BE(24),
    salt2: part.readUInt32BE(28),
    frame: part.readUInt32BE(32),
    sum1: part.readUInt32BE(36),
    sum2: part.readUInt32BE(40),
  };
  return { acknowledged, sequence: Number(part.readBigUInt64BE(8)) };
}

/** The bytes of a file, undefined when there is none. */
export function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
}
