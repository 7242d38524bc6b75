import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BlobStore, ByteRange, LargeObjects, StagedBlob } from '../../ports.ts';
import { type HashedFile, hashFile, stageLocally } from './stage-locally.ts';

export interface PostgresBlobStoreOptions {
  /** Not disposed of. */
  readonly objects: LargeObjects;
  /** Where bytes come in on this machine, until their digest is known. */
  readonly incoming: string;
}

const chunkBytes = 1024 * 1024;

/** Keeps blobs as large objects of the landscape's database, so that all replicas have them. */
export class PostgresBlobStore implements BlobStore {
  readonly #objects: LargeObjects;
  readonly #incoming: string;

  constructor({ objects, incoming }: PostgresBlobStoreOptions) {
    this.#objects = objects;
    this.#incoming = incoming;
  }

  async stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    return this.#staged(await stageLocally(this.#incoming, content));
  }

  async stageFile(path: string): Promise<StagedBlob> {
    return this.#staged(await hashFile(path));
  }

  read(digest: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.#objects.read(digest, range);
  }

  has(digest: string): Promise<boolean> {
    return this.#objects.has(digest);
  }

  remove(digest: string): Promise<void> {
    return this.#objects.remove(digest);
  }

  digests(): AsyncIterable<string> {
    return this.#objects.names();
  }

  #staged({ path, digest, size }: HashedFile): StagedBlob {
    const discard = (): Promise<void> => rm(path, { force: true });
    return { digest, size, keep: () => this.#keep(path, digest), [Symbol.asyncDispose]: discard };
  }

  async #keep(path: string, digest: string): Promise<void> {
    if (!(await this.has(digest))) {
      const content = createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
      await this.#objects.write(digest, content);
    }
    await rm(path, { force: true });
  }
}
