import { buffer } from 'node:stream/consumers';
import { crc32, gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

// Archives for tests, also such that no tool would make.

/** Packs files by their paths, and further entries. A path that ends with a slash is a folder. */
export async function tarOf(
  files: Readonly<Record<string, string>>,
  more: readonly (Partial<Header> & Pick<Header, 'name'>)[] = [],
): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files))
    if (name.endsWith('/')) archive.entry({ name, type: 'directory' });
    else archive.entry({ name }, content);
  for (const header of more) archive.entry(header);
  archive.finalize();
  return buffer(archive as AsyncIterable<Uint8Array>);
}

/** As {@link tarOf}, compressed. */
export const tarGzipOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  gzipSync(await tarOf(files));

/** An entry of a zip archive. */
interface ZipEntry {
  readonly name: string;
  readonly content: string;
  /** The mode that Unix gives the file. Default: a plain file. */
  readonly mode?: number;
}

const plainFile = 0o100_644;
const madeOnUnix = 0x031e;

/** Makes a zip archive without compression. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const local = localHeader(entry);
    central.push(centralHeader(entry, offset));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function localHeader({ name, content }: ZipEntry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeSizes(header, 14, content);
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  return Buffer.concat([header, Buffer.from(name), Buffer.from(content)]);
}

function centralHeader({ name, content, mode = plainFile }: ZipEntry, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(madeOnUnix, 4);
  header.writeUInt16LE(20, 6);
  writeSizes(header, 16, content);
  header.writeUInt16LE(Buffer.byteLength(name), 28);
  header.writeUInt32LE((mode << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, Buffer.from(name)]);
}

function writeSizes(header: Buffer, at: number, content: string): void {
  header.writeUInt32LE(crc32(content), at);
  header.writeUInt32LE(Buffer.byteLength(content), at + 4);
  header.writeUInt32LE(Buffer.byteLength(content), at + 8);
}
