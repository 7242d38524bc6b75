import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { configError } from '../../model/pods/pod-fields.ts';

/** A file to have in a volume. */
export interface VolumeFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** A path inside a folder; throws for one that leads outside. */
export function insideFolder(folder: string, path: string): string {
  const full = join(folder, path);
  const way = relative(folder, full);
  if (way === '..' || way.startsWith('../')) throw configError(`path "${path}" leads out of its volume.`);
  return full;
}

/** Makes a folder contain exactly these files. Each is replaced atomically; unchanged ones are not written. */
export function writeVolumeFiles(folder: string, files: readonly VolumeFile[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const wanted = new Map(files.map(file => [insideFolder(folder, file.path), file]));
  for (const [path, file] of wanted) writeIfChanged(path, file);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !wanted.has(path)) rmSync(path, { force: true });
  }
}

function writeIfChanged(path: string, { bytes, mode }: VolumeFile): void {
  if (isSame(path, bytes, mode)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  writeFileSync(temporary, bytes, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

function isSame(path: string, bytes: Uint8Array, mode: number): boolean {
  try {
    return (statSync(path).mode & 0o777) === mode && readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
