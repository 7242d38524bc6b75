import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@chandlery/platform';

/** Longer lines are stored in parts. */
const maxLineBytes = 16 * 1024;
const newline = 10;

export interface LogFiles {
  readonly current: string;
  /** The content of `current` before the last rotation. */
  readonly rotated: string;
}

/** The files of one attempt of a container. */
export const logFiles = (containerFolder: string, attempt: number): LogFiles => ({
  current: join(containerFolder, `${attempt}.log`),
  rotated: join(containerFolder, `${attempt}.1.log`),
});

export const removeLog = (files: LogFiles): void => {
  rmSync(files.current, { force: true });
  rmSync(files.rotated, { force: true });
};

/** Reverts the path replacements in a line. */
export type RestoreLine = (line: Buffer) => Buffer;

/**
 * Writes the output of one process, a line each: time, stream, `F` for a full line or `P` for a part of one, text.
 * Writes are synchronous, so that readers in this process always see whole lines and know where the end is.
 */
export class LogWriter {
  readonly files: LogFiles;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #restore: RestoreLine;
  readonly #pending = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #file: number;
  #bytes = 0;
  #rotations = 0;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  constructor(files: LogFiles, clock: Clock, maxBytes: number, restore: RestoreLine = line => line) {
    this.files = files;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#restore = restore;
    removeLog(files);
    this.#file = openSync(files.current, 'a', 0o600);
  }

  get rotations(): number {
    return this.#rotations;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Settles with the next write or the end. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  write(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    if (this.#isEnded) return;
    const entries: Buffer[] = [];
    let rest = Buffer.concat([this.#pending[stream], chunk]);
    while (rest.length > 0) {
      const end = rest.subarray(0, maxLineBytes + 1).indexOf(newline);
      if (end < 0 && rest.length <= maxLineBytes) break;
      const length = end < 0 ? maxLineBytes : end;
      entries.push(this.#entry(stream, end < 0 ? 'P' : 'F', rest.subarray(0, length)));
      rest = rest.subarray(end < 0 ? length : length + 1);
    }
    this.#pending[stream] = Buffer.from(rest);
    this.#append(Buffer.concat(entries));
  }

  /** Ends the log. A last line without a newline is kept as it is. */
  end(): void {
    if (this.#isEnded) return;
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#pending[stream].length > 0) this.#append(this.#entry(stream, 'P', this.#pending[stream]));
    }
    this.#isEnded = true;
    closeSync(this.#file);
    this.#changed.resolve();
  }

  #entry(stream: string, tag: 'F' | 'P', text: Buffer): Buffer {
    const time = this.#clock.now().toISOString().replace('Z', '000000Z');
    return Buffer.concat([Buffer.from(`${time} ${stream} ${tag} `), this.#restore(text), Buffer.from('\n')]);
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
    writeSync(this.#file, bytes);
    this.#bytes += bytes.length;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.files.current, this.files.rotated);
    this.#file = openSync(this.files.current, 'a', 0o600);
    this.#bytes = 0;
    this.#rotations++;
  }
}
