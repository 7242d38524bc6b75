import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFileMissing } from '@chandlery/platform';
import type { BlobStore, ByteRange, StagedBlob } from '../../ports.ts';
import { blobNotFound } from './blob-not-found.ts';
import { type HashedFile, hashFile, stageLocally } from './stage-locally.ts';
import { syncFolderOf } from './write-stream.ts';

const chunkBytes = 256 * 1024;

/** Keeps blobs as files of a folder, `blobs/<first two digits>/<digest>`. */
export class FileBlobStore implements BlobStore {
  readonly #blobs: string;
  readonly #incoming: string;

  constructor(folder: string) {
    this.#blobs = join(folder, 'blobs');
    this.#incoming = join(folder, 'incoming');
  }

  async stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    return this.#staged(await stageLocally(this.#incoming, content));
  }

  async stageFile(path: string): Promise<StagedBlob> {
    return this.#staged(await hashFile(path));
  }

  async *read(digest: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(this.#pathOf(digest), { ...range, highWaterMark: chunkBytes });
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw isFileMissing(cause) ? blobNotFound(digest, cause) : cause;
    } finally {
      stream.destroy();
    }
  }

  async has(digest: string): Promise<boolean> {
    return (await stat(this.#pathOf(digest)).catch(() => undefined)) !== undefined;
  }

  async remove(digest: string): Promise<void> {
    await rm(this.#pathOf(digest), { force: true });
  }

  async *digests(): AsyncGenerator<string> {
    for (const folder of await readdir(this.#blobs).catch(() => []))
      yield* await readdir(join(this.#blobs, folder)).catch(() => []);
  }

  #staged({ path, digest, size }: HashedFile): StagedBlob {
    return {
      digest,
      size,
      keep: () => this.#keep(path, digest),
      [Symbol.asyncDispose]: () => rm(path, { force: true }),
    };
  }

  async #keep(path: string, digest: string): Promise<void> {
    if (await this.has(digest)) return rm(path, { force: true });
    const target = this.#pathOf(digest);
    if ((await mkdir(dirname(target), { recursive: true, mode: 0o700 })) !== undefined)
      await syncFolderOf(dirname(target));
    await rename(path, target);
    await syncFolderOf(target);
  }

  #pathOf(digest: string): string {
    return join(this.#blobs, digest.slice(0, 2), digest);
  }
}
