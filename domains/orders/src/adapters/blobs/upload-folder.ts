import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadStore } from '../../ports.ts';
import { writeAll } from './write-stream.ts';

/** Keeps unfinished uploads as files of a folder, each named by its id. */
export class UploadFolder implements UploadStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async size(id: string): Promise<number> {
    return (await stat(this.pathOf(id)).catch(() => undefined))?.size ?? 0;
  }

  async append(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await using file = await open(this.pathOf(id), 'a', 0o600);
    try {
      await writeAll(file, content);
    } finally {
      await file.sync();
    }
    return (await file.stat()).size;
  }

  pathOf(id: string): string {
    return join(this.#folder, id);
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  async ids(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }
}
