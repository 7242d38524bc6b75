import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFileMissing, KeyedMutex, LruCache } from '@chandlery/platform';
import { invalidField, OrdersError } from '../../errors.ts';
import type { BlobStore, ByteRange, SiteArchive, SiteFile, SiteStore } from '../../ports.ts';
import { writeAll } from '../blobs/write-stream.ts';
import { type SiteLimits, type SiteManifest, unpackSite } from './unpack-site.ts';

export interface FileSiteStoreOptions {
  readonly folder: string;
  /** A folder of the same file system for what is incomplete; its content is removed when the process starts. */
  readonly incoming: string;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly limits: SiteLimits;
}

/** Archives whose paths are in memory. */
const maxOpenArchives = 64;
const chunkBytes = 256 * 1024;
const digestPattern = /^[0-9a-f]{64}$/;

/**
 * Unpacks archives into `<digest>/content`, with the paths in `<digest>/manifest.json`. A folder appears as a whole, so what
 * is there is complete. One archive is unpacked at a time: what it may need is the most that all of them need.
 */
export class FileSiteStore implements SiteStore {
  readonly #options: FileSiteStoreOptions;
  readonly #open = new LruCache<string, SiteArchive>(maxOpenArchives);
  readonly #locks = new KeyedMutex<string>();

  constructor(options: FileSiteStoreOptions) {
    this.#options = options;
  }

  async open(digest: string): Promise<SiteArchive> {
    return this.#open.get(digest) ?? this.#locks.run(digest, () => this.#load(digest));
  }

  async read(digest: string, file: SiteFile, range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const path = join(this.#pathOf(digest), 'content');
    const handle = await open(path, 'r').catch(async (error: unknown) => {
      if (!isFileMissing(error)) throw error;
      this.#open.delete(digest);
      await this.open(digest);
      return open(path, 'r');
    });
    const [start, end] = [file.offset + range.start, file.offset + range.end];
    return handle.createReadStream({ start, end, highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
  }

  async remove(digest: string): Promise<void> {
    await this.#locks.run(digest, async () => {
      this.#open.delete(digest);
      const removed = await this.#temporaryPath();
      const isThere = await rename(this.#pathOf(digest), removed).then(() => true, isPresentFailure);
      if (isThere) await rm(removed, { recursive: true, force: true });
    });
  }

  async digests(): Promise<readonly string[]> {
    const names = await readdir(this.#options.folder).catch(() => []);
    return names.filter(name => digestPattern.test(name));
  }

  async #load(digest: string): Promise<SiteArchive> {
    const loaded = this.#open.get(digest);
    if (loaded !== undefined) return loaded;
    const { files, folders } = (await this.#readManifest(digest)) ?? (await this.#unpack(digest));
    const archive: SiteArchive = { files: new Map(files), folders: new Set(folders) };
    this.#open.set(digest, archive);
    return archive;
  }

  async #readManifest(digest: string): Promise<SiteManifest | undefined> {
    try {
      return JSON.parse(await readFile(join(this.#pathOf(digest), 'manifest.json'), 'utf8')) as SiteManifest;
    } catch (error) {
      if (isFileMissing(error)) return undefined;
      throw error;
    }
  }

  #unpack(digest: string): Promise<SiteManifest> {
    return this.#locks.run('unpack', async () => {
      const folder = await this.#temporaryPath();
      await mkdir(folder, { mode: 0o700 });
      try {
        const manifest = await this.#unpackInto(folder, digest);
        await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
        await rename(folder, this.#pathOf(digest));
        return manifest;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  async #unpackInto(folder: string, digest: string): Promise<SiteManifest> {
    const archive = join(folder, 'archive');
    await this.#copyArchive(digest, archive);
    const manifest = await unpackSite(archive, join(folder, 'content'), this.#options.limits).catch(
      (cause: unknown) => {
        throw rejectedArchive(cause);
      },
    );
    await rm(archive);
    await using file = await open(join(folder, 'manifest.json'), 'wx', 0o600);
    await file.writeFile(JSON.stringify(manifest));
    await file.sync();
    return manifest;
  }

  async #copyArchive(digest: string, path: string): Promise<void> {
    await using file = await open(path, 'wx', 0o600);
    await writeAll(file, this.#options.blobs.read(digest));
  }

  async #temporaryPath(): Promise<string> {
    await mkdir(this.#options.incoming, { recursive: true, mode: 0o700 });
    return join(this.#options.incoming, randomUUID());
  }

  #pathOf(digest: string): string {
    return join(this.#options.folder, digest);
  }
}

/** What is not there needs no removal. */
function isPresentFailure(error: unknown): false {
  if (isFileMissing(error)) return false;
  throw error;
}

/** Failures of the machine stay what they are: only those of the archive are the client's. */
function rejectedArchive(cause: unknown): unknown {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (['ENOSPC', 'EIO', 'EMFILE', 'EDQUOT', 'EROFS'].includes(code) || cause instanceof OrdersError) return cause;
  return invalidField('controller.artifact', `The archive cannot be served: ${message}`);
}
