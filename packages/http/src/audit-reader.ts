import { type FileHandle, open } from 'node:fs/promises';
import { apiError, isRecord } from '@chandlery/api';
import { isFileMissing, Pace } from '@chandlery/platform';
import type { AuditEntry } from './audit-log.ts';
import { type FileLine, linesBackwards } from './lines-backwards.ts';

/** Which records are read. */
export interface AuditQuery {
  /** How many records at most. */
  readonly limit: number;
  readonly matches: (entry: AuditEntry) => boolean;
  /** What the line of every such record contains: others are not parsed. Default: nothing. */
  readonly contains?: readonly string[];
  /** RFC 3339. Older records are not looked for. Default: all. */
  readonly from?: string;
  /** RFC 3339. Only records of this time and before. Default: all. */
  readonly to?: string;
  /** The position of a record: only older ones. Default: the newest. */
  readonly before?: string;
}

/** A record and where it is: a name for it that lasts as long as its file. */
export interface PlacedAuditEntry {
  readonly position: string;
  readonly entry: AuditEntry;
}

/** Records, the newest first. */
export interface AuditPage {
  readonly entries: readonly PlacedAuditEntry[];
  /** Where to continue with older records; undefined when there are none. */
  readonly next: string | undefined;
  /** Set when the search ended before the page was full: it has looked at all records since about this time. */
  readonly searchedTo: string | undefined;
  /** Lines that are no records. */
  readonly damagedLines: number;
}

export interface AuditReaderOptions {
  /** The file that is written to; `path.1` and so on are older ones. */
  readonly path: string;
  /** How many older files there may be. */
  readonly keep: number;
  /** A page looks through no more than this. Default 64 MiB. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 64 * 1024 * 1024;
/** Records are written in the order of their ends and carry the time of their beginning or end. */
const maxDisorderMs = 120_000;
/** A search by time ends when so little is left. */
const bisectedBytes = 1024 * 1024;

interface Place {
  readonly file: string;
  readonly offset: number;
}

/**
 * Reads records from the end of the log, in chunks: memory and work of a page do not depend on the size of the log.
 * Positions survive that a file is put aside; they expire with the file.
 */
export async function readAudit(query: AuditQuery, options: AuditReaderOptions): Promise<AuditPage> {
  const search = new Search(query, options.maxBytes ?? defaultMaxBytes);
  const start = query.before === undefined ? undefined : parsePosition(query.before);
  let isStarted = start === undefined;
  for await (const { handle, id } of filesOf(options)) {
    isStarted ||= id === start?.file;
    if (!isStarted) continue;
    await search.readFile(handle, id, id === start?.file ? start.offset : undefined);
    if (search.isOver) break;
  }
  if (!isStarted) throw expired();
  return search.page();
}

/** The record at a position; undefined when there is none. */
export async function findAuditEntry(
  position: string,
  options: AuditReaderOptions,
): Promise<PlacedAuditEntry | undefined> {
  const place = parsePosition(position);
  for await (const { handle, id } of filesOf(options)) {
    if (id !== place.file) continue;
    const bytes = Buffer.alloc(maxLineBytes);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, place.offset);
    const text = bytes.subarray(0, bytesRead);
    const end = text.indexOf(0x0a);
    const entry = parseEntry(text.subarray(0, end < 0 ? text.length : end));
    return entry && { position, entry };
  }
  return undefined;
}

/** No record is longer: the head of a request is limited. */
const maxLineBytes = 256 * 1024;

interface OpenFile {
  readonly handle: FileHandle;
  readonly id: string;
}

/** The files of the log, the youngest first. One that is put aside meanwhile is not read twice. */
async function* filesOf({ path, keep }: AuditReaderOptions): AsyncGenerator<OpenFile> {
  const seen = new Set<string>();
  for (let age = 0; age <= keep; age += 1) {
    await using handle = await openIfThere(age === 0 ? path : `${path}.${age}`);
    if (handle === undefined) continue;
    const { ino } = await handle.stat({ bigint: true });
    const id = ino.toString(36);
    if (seen.has(id)) continue;
    seen.add(id);
    yield { handle, id };
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (failure) {
    if (isFileMissing(failure)) return undefined;
    throw failure;
  }
}

class Search {
  readonly #query: AuditQuery;
  readonly #contains: readonly Buffer[];
  readonly #pace = new Pace();
  readonly #found: PlacedAuditEntry[] = [];
  #bytesLeft: number;
  #damaged = 0;
  #next: Place | undefined;
  #lastTime: string | undefined;
  #isCut = false;
  isOver = false;

  constructor(query: AuditQuery, maxBytes: number) {
    this.#query = query;
    this.#contains = (query.contains ?? []).map(text => Buffer.from(text));
    this.#bytesLeft = maxBytes;
  }

  async readFile(handle: FileHandle, file: string, end: number | undefined): Promise<void> {
    const { to } = this.#query;
    const stop = end ?? (to === undefined ? undefined : await offsetAfter(handle, Date.parse(to) + maxDisorderMs));
    for await (const { lines, bytesRead } of linesBackwards(handle, { end: stop, maxLineBytes })) {
      for (const line of lines) {
        if (this.#pace.isDue) await this.#pace.rest();
        this.#take(line, file);
        if (this.isOver) return;
      }
      this.#bytesLeft -= bytesRead;
      if (this.#bytesLeft > 0 || this.#next === undefined) continue;
      this.#isCut = true;
      this.isOver = true;
      return;
    }
  }

  page(): AuditPage {
    const { file, offset } = this.#next ?? {};
    return {
      entries: this.#found,
      next: this.isOver && file !== undefined ? formatPosition({ file, offset: offset ?? 0 }) : undefined,
      searchedTo: this.#isCut ? this.#lastTime : undefined,
      damagedLines: this.#damaged,
    };
  }

  #take({ bytes, start }: FileLine, file: string): void {
    this.#next = { file, offset: start };
    const time = bytes && timeOfHead(bytes.toString('latin1', 0, headBytes));
    if (time !== undefined) this.#lastTime = time;
    if (time !== undefined && this.#isTooOld(time)) {
      this.#next = undefined;
      this.isOver = true;
      return;
    }
    if (bytes !== undefined && time !== undefined && !this.#contains.every(text => bytes.includes(text))) return;
    const entry = bytes && parseEntry(bytes);
    if (entry === undefined) return void (this.#damaged += 1);
    if (!this.#isInTime(entry) || !this.#query.matches(entry)) return;
    this.#found.push({ position: formatPosition({ file, offset: start }), entry });
    this.isOver = this.#found.length >= this.#query.limit;
  }

  #isTooOld(time: string): boolean {
    const { from } = this.#query;
    return from !== undefined && Date.parse(time) < Date.parse(from) - maxDisorderMs;
  }

  #isInTime({ time }: AuditEntry): boolean {
    const { from, to } = this.#query;
    const at = Date.parse(time);
    return (from === undefined || at >= Date.parse(from)) && (to === undefined || at <= Date.parse(to));
  }
}

/** Where in a file the records after a time begin, or a little after that: they need not be read. */
async function offsetAfter(handle: FileHandle, timeMs: number): Promise<number> {
  const { size } = await handle.stat();
  let [low, high] = [0, size];
  while (high - low > bisectedBytes) {
    const middle = Math.floor((low + high) / 2);
    const found = await timeAt(handle, middle);
    if (found !== undefined && found > timeMs) high = middle;
    else low = middle;
  }
  // The line in the middle of which the search ended belongs to what is read.
  const { start } = (await lineStartAfter(handle, high)) ?? { start: size };
  return start;
}

/** The time of the first record after an offset. */
async function timeAt(handle: FileHandle, offset: number): Promise<number | undefined> {
  const found = await lineStartAfter(handle, offset);
  const time = found && timeOfHead(found.head);
  return time === undefined ? undefined : Date.parse(time);
}

const headBytes = 64;

/** The time with which every record begins, without parsing the record; undefined for what begins with something else. */
function timeOfHead(head: string): string | undefined {
  const time = /^\{"time":"([^"]{1,40})"/.exec(head)?.[1];
  return time === undefined || Number.isNaN(Date.parse(time)) ? undefined : time;
}

async function lineStartAfter(
  handle: FileHandle,
  offset: number,
): Promise<{ readonly start: number; readonly head: string } | undefined> {
  const bytes = Buffer.alloc(maxLineBytes);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
  const end = bytes.subarray(0, bytesRead).indexOf(0x0a);
  if (end < 0) return undefined;
  return { start: offset + end + 1, head: bytes.toString('utf8', end + 1, end + 1 + headBytes) };
}

/** What every record begins with. */
const opening = '{"time":';

/**
 * The record of a line; undefined for what is none. After a crash a record may stand behind the beginning of one that was
 * not written to its end.
 */
function parseEntry(bytes: Buffer): AuditEntry | undefined {
  const text = bytes.toString();
  const last = text.lastIndexOf(opening);
  return parseRecord(text) ?? (last > 0 ? parseRecord(text.slice(last)) : undefined);
}

function parseRecord(text: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isEntry = isRecord(value) && typeof value['time'] === 'string' && typeof value['verb'] === 'string';
    return isEntry ? (value as unknown as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

const formatPosition = ({ file, offset }: Place): string => `${file}-${offset.toString(36)}`;

function parsePosition(text: string): Place {
  const [, file = '', offset = ''] = /^([0-9a-z]{1,20})-([0-9a-z]{1,11})$/.exec(text) ?? [];
  if (file === '') throw apiError('BadRequest', `"${text}" is no position in the audit log: take one from a list`);
  return { file, offset: Number.parseInt(offset, 36) };
}

const expired = (): Error =>
  apiError('Expired', 'the records at that position are no longer kept, or another replica has them: list again');
