import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/** Folders held in memory; syncing means nothing there. */
const memoryFileSystems = new Set([0x01021994, 0x858458f6]);

/** The repository's place for things that may be thrown away. */
export const cacheFolder = join(import.meta.dirname, '../../.cache');

/** A folder on a real disk for the data of everything that is measured. */
export async function makeDataFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const parent = join(cacheFolder, 'bench');
  await mkdir(parent, { recursive: true });
  const { type } = await statfs(parent);
  if (memoryFileSystems.has(type)) {
    throw new ChandleryError('NotADisk', `${parent} lies in memory, where durable writes cannot be measured`);
  }
  const path = await mkdtemp(join(parent, 'data-'));
  // For runs that are interrupted.
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Bytes on disk of all files in a folder. */
export async function folderBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter(entry => entry.isFile())
    .map(async entry => (await stat(join(entry.parentPath, entry.name))).blocks * 512);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
