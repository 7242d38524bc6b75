import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { type ArchiveEntry, noContent } from './archive-entry.ts';

const typeMask = 0o170_000;
const folderType = 0o040_000;
const fileType = 0o100_000;

/** Reads the entries of a zip archive. */
export async function* zipEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  try {
    for await (const entry of zip.eachEntry()) yield archiveEntry(zip, entry);
  } finally {
    zip.close();
  }
}

const archiveEntry = (zip: ZipFile, entry: Entry): ArchiveEntry => {
  const type = typeOf(entry);
  return { name: entry.fileName, type, content: () => (type === 'file' ? contentOf(zip, entry) : noContent()) };
};

/** Archives that Unix made have the mode of a file in the upper half of its attributes; others have nothing there. */
function typeOf({ fileName, externalFileAttributes }: Entry): ArchiveEntry['type'] {
  const mode = (externalFileAttributes >>> 16) & typeMask;
  if (mode !== 0 && mode !== fileType && mode !== folderType) return 'other';
  return fileName.endsWith('/') || mode === folderType ? 'folder' : 'file';
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new Error('it is encrypted');
  yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
}
