import { execFile } from 'node:child_process';
import { open, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolderBeside } from './temp-beside.ts';

const run = promisify(execFile);

/** Packs a file or folder as tar and gzip, under its own name. Symbolic links are stored as links and never followed. */
export async function packTarGzip(path: string, archive: string, compressionLevel?: number): Promise<void> {
  const level = compressionLevel === undefined ? 'gzip' : `gzip -${Math.min(9, Math.max(1, compressionLevel))}`;
  await run('tar', ['--use-compress-program', level, '-cf', archive, '-C', dirname(path), '--', basename(path)]);
}

/** Packs a file or folder as zip. */
export async function packZip(path: string, archive: string): Promise<void> {
  const script =
    'import shutil,sys,os,zipfile\np,a=sys.argv[1:3]\nz=zipfile.ZipFile(a,"w",zipfile.ZIP_DEFLATED)\nb=os.path.dirname(p)\nif os.path.isdir(p):\n  [z.write(os.path.join(d,f),os.path.relpath(os.path.join(d,f),b)) for d,_,fs in os.walk(p) for f in fs if not os.path.islink(os.path.join(d,f))]\nelse: z.write(p,os.path.basename(p))\nz.close()';
  await run('python3', ['-I', '-c', script, path, archive]);
}

export type Packing = 'tar' | 'zip' | 'none';

/** How a file is packed, by its first bytes. */
export async function packingOf(file: string): Promise<Packing> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(265), 0, 265, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head[0] === 0x1f && head[1] === 0x8b) return (await isTar(file)) ? 'tar' : 'none';
    if (head.subarray(257, 262).toString() === 'ustar') return 'tar';
    return head.subarray(0, 4).equals(Buffer.from([0x50, 0x4b, 3, 4])) ? 'zip' : 'none';
  } finally {
    await handle.close();
  }
}

const isTar = (file: string): Promise<boolean> =>
  run('tar', ['-tzf', file], { maxBuffer: 64 * 2 ** 20 }).then(
    () => true,
    () => false,
  );

/** Unpacks an archive to a path: its only entry becomes the path, several become a folder there. */
export async function unpack(archive: string, packing: 'tar' | 'zip', path: string): Promise<void> {
  await using folder = await tempFolderBeside(path);
  if (packing === 'tar') await run('tar', ['-xf', archive, '-C', folder.path, '--no-same-owner']);
  else await run('python3', ['-I', '-m', 'zipfile', '-e', archive, folder.path]);
  const entries = await readdir(folder.path);
  const only = entries.length === 1 ? entries[0] : undefined;
  await rename(only === undefined ? folder.path : join(folder.path, only), path);
}
