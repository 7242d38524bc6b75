import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { entryPath, parentFolders } from '../../model/sites/entry-path.ts';
import type { SiteFile } from '../../ports.ts';
import { writeAll } from '../blobs/write-stream.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { readArchive } from './read-archive.ts';

/** What an archive may have. */
export interface SiteLimits {
  readonly siteBytes: number;
  readonly siteEntries: number;
}

/** The files and folders of an archive, as they are stored. */
export interface SiteManifest {
  readonly files: readonly (readonly [path: string, file: SiteFile])[];
  readonly folders: readonly string[];
}

/** What the headers of a tar archive need for each entry, long names included. */
const tarHeaderBytes = 4096;

interface Unpacking {
  readonly content: FileHandle;
  readonly limits: SiteLimits;
  readonly files: Map<string, SiteFile>;
  readonly folders: Set<string>;
  offset: number;
}

/**
 * Writes the files of an archive one behind the other into a new file. Nothing is written under a name that the archive
 * gives. Throws an error with the reason when the archive is rejected.
 */
export async function unpackSite(archive: string, target: string, limits: SiteLimits): Promise<SiteManifest> {
  const { siteBytes, siteEntries } = limits;
  const entries = await readArchive(archive, { maxBytes: siteBytes + siteEntries * tarHeaderBytes });
  if (entries === undefined) throw new Error('it is no tar, tar.gz or zip archive');
  await using content = await open(target, 'wx', 0o600);
  const unpacking: Unpacking = { content, limits, files: new Map(), folders: new Set(), offset: 0 };
  let count = 0;
  for await (const entry of entries) {
    count += 1;
    if (count > siteEntries) throw new Error(`it has more than ${siteEntries} entries`);
    await unpackEntry(unpacking, entry);
  }
  if (unpacking.files.size === 0) throw new Error('it has no files');
  await content.sync();
  return { files: [...unpacking.files], folders: [...unpacking.folders] };
}

async function unpackEntry(unpacking: Unpacking, entry: ArchiveEntry): Promise<void> {
  const path = checkedPath(entry);
  for (const folder of parentFolders(path)) unpacking.folders.add(folder);
  if (entry.type === 'file') unpacking.files.set(path, await writeFile(unpacking, entry));
  else if (path !== '') unpacking.folders.add(path);
}

function checkedPath({ name, type }: ArchiveEntry): string {
  try {
    if (type === 'other') throw new Error('it is a link or a device');
    const path = entryPath(name);
    if (type === 'file' && path === '') throw new Error('it is a file without a name');
    return path;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`its entry ${JSON.stringify(name.slice(0, 200))} is rejected: ${reason}`, { cause });
  }
}

async function writeFile(unpacking: Unpacking, entry: ArchiveEntry): Promise<SiteFile> {
  const { content, limits, offset } = unpacking;
  const hash = createHash('sha256');
  let room = limits.siteBytes - offset;
  const size = await writeAll(content, entry.content(), chunk => {
    room -= chunk.length;
    if (room < 0) throw new Error(`its files have more than ${limits.siteBytes} bytes`);
    hash.update(chunk);
  });
  unpacking.offset += size;
  return { offset, size, digest: hash.digest('hex') };
}
