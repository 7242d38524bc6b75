import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BlobStore, ByteRange, StagedBlob } from '../../ports.ts';
import { blobNotFound } from './blob-not-found.ts';
import { S3Connection, type S3Options } from './s3-connection.ts';
import { type HashedFile, hashFile, stageLocally } from './stage-locally.ts';

/**
 * Keeps blobs in a bucket, `<prefix><digest>`. Bytes come in to a folder of this machine first: the digest, which is the key
 * and part of the signature, is known only at their end.
 */
export class S3BlobStore implements BlobStore {
  readonly #connection: S3Connection;
  readonly #prefix: string;
  readonly #incoming: string;

  constructor({ incoming, ...options }: S3Options & { readonly incoming: string }) {
    this.#connection = new S3Connection(options);
    this.#prefix = options.prefix ?? 'blobs/';
    this.#incoming = incoming;
  }

  async stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    return this.#staged(await stageLocally(this.#incoming, content));
  }

  async stageFile(path: string): Promise<StagedBlob> {
    return this.#staged(await hashFile(path));
  }

  async *read(digest: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
    const { statusCode, body } = await this.#connection.send(
      { method: 'GET', key: this.#keyOf(digest), headers },
      [404],
    );
    if (statusCode === 404) {
      await body.dump();
      throw blobNotFound(digest);
    }
    yield* body as AsyncIterable<Uint8Array>;
  }

  async has(digest: string): Promise<boolean> {
    const { statusCode, body } = await this.#connection.send({ method: 'HEAD', key: this.#keyOf(digest) }, [404]);
    await body.dump();
    return statusCode !== 404;
  }

  async remove(digest: string): Promise<void> {
    const { body } = await this.#connection.send({ method: 'DELETE', key: this.#keyOf(digest) }, [404]);
    await body.dump();
  }

  async *digests(): AsyncGenerator<string> {
    let token: string | undefined;
    do {
      const more: Record<string, string> = token === undefined ? {} : { 'continuation-token': token };
      const query = { 'list-type': '2', prefix: this.#prefix, ...more };
      const text = await (await this.#connection.send({ method: 'GET', key: '', query })).body.text();
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) yield key.slice(this.#prefix.length);
      token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1]?.replaceAll('&amp;', '&');
    } while (token !== undefined);
  }

  #staged(file: HashedFile): StagedBlob {
    const { path, digest, size } = file;
    return { digest, size, keep: () => this.#keep(file), [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  async #keep({ path, digest, size }: HashedFile): Promise<void> {
    if (!(await this.has(digest))) {
      const headers = { 'content-length': String(size), 'x-amz-content-sha256': digest };
      const body = createReadStream(path);
      const response = await this.#connection.send({ method: 'PUT', key: this.#keyOf(digest), headers, body });
      await response.body.dump();
    }
    await rm(path, { force: true });
  }

  #keyOf(digest: string): string {
    return this.#prefix + digest;
  }
}
