import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LogQuery, NodeLogs } from '../../workflow-ports.ts';

/**
 * Logs as files: `<folder>/<hash of namespace and pod>/<container>.log`, and for each workflow a folder that names the
 * hashes of its pods, so that they can be removed with it.
 */
export class FileNodeLogs implements NodeLogs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(workflowUid: string, query: LogQuery, lines: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(query);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await mkdir(join(this.#ownerFolder(workflowUid), podHash(query)), { recursive: true, mode: 0o700 });
    const partial = `${path}.part`;
    await pipeline(Readable.from(lines), createWriteStream(partial, { mode: 0o600 }));
    await rename(partial, path);
  }

  async read(query: LogQuery): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = this.#pathOf(query);
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    return isThere ? (createReadStream(path) as AsyncIterable<Uint8Array>) : undefined;
  }

  async remove(workflowUid: string): Promise<void> {
    const owner = this.#ownerFolder(workflowUid);
    for (const pod of await readdir(owner).catch(() => []))
      await rm(join(this.#folder, 'pods', pod), { recursive: true, force: true });
    await rm(owner, { recursive: true, force: true });
  }

  #pathOf(query: LogQuery): string {
    return join(this.#folder, 'pods', podHash(query), `${encodeURIComponent(query.container)}.log`);
  }

  #ownerFolder(workflowUid: string): string {
    return join(this.#folder, 'workflows', encodeURIComponent(workflowUid));
  }
}

const podHash = ({ namespace, pod }: LogQuery): string =>
  createHash('sha256').update(`${namespace}/${pod}`).digest('hex').slice(0, 32);
