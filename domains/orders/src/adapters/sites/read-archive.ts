import { open } from 'node:fs/promises';
import type { ArchiveEntry } from './archive-entry.ts';
import { tarEntries } from './tar-entries.ts';
import { zipEntries } from './zip-entries.ts';

const tarMagicOffset = 257;
const headBytes = 512;

/** Reads the entries of an archive, whose format is detected by its first bytes. Undefined when it is no tar, tar.gz or zip. */
export async function readArchive(
  path: string,
  { maxBytes }: { readonly maxBytes: number },
): Promise<AsyncIterable<ArchiveEntry> | undefined> {
  const head = await readHead(path);
  if (head.readUInt16BE(0) === 0x1f8b) return tarEntries(path, { isGzip: true, maxBytes });
  if (head.toString('latin1', tarMagicOffset, tarMagicOffset + 5) === 'ustar')
    return tarEntries(path, { isGzip: false, maxBytes });
  return ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(head.toString('latin1', 0, 4)) ? zipEntries(path) : undefined;
}

/** Returns the first bytes of a file, with zeros after its end. */
async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const head = Buffer.alloc(headBytes);
  await file.read(head, 0, headBytes, 0);
  return head;
}
