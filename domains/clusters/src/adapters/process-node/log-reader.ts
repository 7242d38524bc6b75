import { readFileSync } from 'node:fs';
import type { LogRequest } from '../../ports.ts';
import type { LogFiles, LogWriter } from './log-writer.ts';

/** The wanted part of a log. */
type LogPart = Omit<LogRequest, 'uid' | 'container'> & Partial<LogRequest>;

interface Entry {
  readonly time: string;
  readonly stream: string;
  readonly isFull: boolean;
  readonly text: Buffer;
}

const newline = 10;
const space = 32;

/** Reads the requested part of a log; stops at the end of the log, or, when following, with the process. */
export async function* readLog(
  files: LogFiles,
  writer: LogWriter | undefined,
  request: LogPart,
  now: Date,
): AsyncGenerator<Uint8Array> {
  const formatter = new Formatter(request);
  // Reads and writes are synchronous: nothing is written before the next await.
  const cursor = new Cursor(files, writer?.rotations ?? 0);
  const ofStream = (entries: readonly Entry[]): readonly Entry[] =>
    request.stream === undefined ? entries : entries.filter(({ stream }) => stream === request.stream);
  const kept = select(ofStream(cursor.readAll()), request, now);
  yield* nonEmpty(formatter.format(kept));
  if (request.follow !== true || writer === undefined) return;
  while (!formatter.isFull && request.signal?.aborted !== true) {
    const { changed, isEnded } = writer;
    yield* nonEmpty(formatter.format(ofStream(cursor.readOn(writer.rotations))));
    if (isEnded) return;
    if (!writer.isEnded) await untilChanged(changed, request.signal);
  }
}

function* nonEmpty(bytes: Buffer): Generator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function untilChanged(changed: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return changed;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  await Promise.race([changed, aborted.promise]);
  signal.removeEventListener('abort', onAbort);
}

/** A position in a rotating log. */
class Cursor {
  readonly #files: LogFiles;
  #rotations: number;
  #offset = 0;

  constructor(files: LogFiles, rotations: number) {
    this.#files = files;
    this.#rotations = rotations;
  }

  readAll(): readonly Entry[] {
    const current = readIfPresent(this.#files.current);
    this.#offset = current.length;
    return [...parse(readIfPresent(this.#files.rotated)), ...parse(current)];
  }

  /** Reads what was added. After more than one rotation the lines between are lost. */
  readOn(rotations: number): readonly Entry[] {
    const before =
      rotations === this.#rotations ? [] : parse(readIfPresent(this.#files.rotated).subarray(this.#offset));
    if (rotations !== this.#rotations) this.#offset = 0;
    this.#rotations = rotations;
    const current = readIfPresent(this.#files.current);
    const after = parse(current.subarray(this.#offset));
    this.#offset = current.length;
    return [...before, ...after];
  }
}

function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function parse(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let start = 0, end = bytes.indexOf(newline); end >= 0; start = end + 1, end = bytes.indexOf(newline, start)) {
    entries.push(parseEntry(bytes.subarray(start, end)));
  }
  return entries;
}

function parseEntry(line: Buffer): Entry {
  const timeEnd = line.indexOf(space);
  const streamEnd = line.indexOf(space, timeEnd + 1);
  const isFull = line[streamEnd + 1] === 'F'.charCodeAt(0);
  const stream = line.toString('latin1', timeEnd + 1, streamEnd);
  return { time: line.toString('latin1', 0, timeEnd), stream, isFull, text: line.subarray(streamEnd + 3) };
}

function select(
  entries: readonly Entry[],
  { tailLines, sinceSeconds, sinceTime }: LogPart,
  now: Date,
): readonly Entry[] {
  const sinceMs = sinceSeconds === undefined ? Date.parse(sinceTime ?? '') : now.getTime() - sinceSeconds * 1000;
  const recent = Number.isNaN(sinceMs) ? entries : entries.filter(({ time }) => Date.parse(time) >= sinceMs);
  return tailLines === undefined ? recent : recent.slice(tailStart(recent, tailLines));
}

/** The position of the last lines; the parts of one line count once. */
function tailStart(entries: readonly Entry[], lines: number): number {
  let wanted = lines;
  for (let index = entries.length - 1; index >= 0; index--) {
    const beginsLine = index === 0 || entries[index - 1]?.isFull === true;
    if (wanted === 0) return index + 1;
    if (beginsLine) wanted--;
  }
  return 0;
}

/** Formats entries up to the requested number of bytes. */
class Formatter {
  readonly #timestamps: boolean;
  #left: number;
  #beginsLine = true;

  constructor({ timestamps, limitBytes }: LogPart) {
    this.#timestamps = timestamps === true;
    this.#left = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  format(entries: readonly Entry[]): Buffer {
    const all = Buffer.concat(entries.flatMap(entry => this.#formatEntry(entry)));
    const bytes = all.subarray(0, Math.min(all.length, this.#left));
    this.#left -= bytes.length;
    return bytes;
  }

  #formatEntry({ time, isFull, text }: Entry): Buffer[] {
    const prefix = this.#timestamps && this.#beginsLine ? [Buffer.from(`${time} `)] : [];
    this.#beginsLine = isFull;
    return [...prefix, text, ...(isFull ? [Buffer.from('\n')] : [])];
  }
}
