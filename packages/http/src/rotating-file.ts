import { type FileHandle, open, rename } from 'node:fs/promises';
import { isFileMissing } from '@chandlery/platform';

export interface RotatingFileOptions {
  readonly path: string;
  /** A file is put aside before it grows beyond this. */
  readonly maxBytes: number;
  /** How many put-aside files are kept: `path.1` is the youngest. */
  readonly keep: number;
}

/** A file that is only appended to, and put aside when it is full. One call at a time. */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: FileHandle | undefined;
  #size = 0;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Appends bytes, never divided between two files. After a failure the next call reopens the file. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      if (this.#file !== undefined && this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes)
        await this.#rotate();
      const file = this.#file ?? (await this.#open());
      await file.appendFile(bytes);
      this.#size += bytes.length;
    } catch (failure) {
      await this.close().catch(() => {});
      throw failure;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#options.path, 'a', 0o600);
    this.#file = file;
    this.#size = (await file.stat()).size;
    return file;
  }

  async #rotate(): Promise<void> {
    const { path, keep } = this.#options;
    await this.close();
    for (let age = keep - 1; age >= 1; age -= 1) await renameIfThere(`${path}.${age}`, `${path}.${age + 1}`);
    await renameIfThere(path, `${path}.1`);
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (failure) {
    if (!isFileMissing(failure)) throw failure;
  }
}
