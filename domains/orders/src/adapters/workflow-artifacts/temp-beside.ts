import { mkdtemp, rm } from 'node:fs/promises';

/** A folder on the same file system as a path, so that what is in it can be moved there. Removed when disposed of. */
export async function tempFolderBeside(path: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(`${path}.unpack-`);
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
