import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAll } from './write-stream.ts';

/** A file of this machine and what is in it. */
export interface HashedFile {
  readonly path: string;
  /** The SHA-256 in hex. */
  readonly digest: string;
  readonly size: number;
}

/** Writes content to a new file of a folder, durably. Leaves no file behind when the content fails. */
export async function stageLocally(folder: string, content: AsyncIterable<Uint8Array>): Promise<HashedFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  try {
    await using file = await open(path, 'wx', 0o600);
    const size = await writeAll(file, content, chunk => hash.update(chunk));
    await file.sync();
    return { path, size, digest: hash.digest('hex') };
  } catch (failure) {
    await rm(path, { force: true });
    throw failure;
  }
}

/** Reads a file for its digest, and makes it durable. */
export async function hashFile(path: string): Promise<HashedFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    size += chunk.length;
  }
  await using file = await open(path, 'r+');
  await file.sync();
  return { path, size, digest: hash.digest('hex') };
}
