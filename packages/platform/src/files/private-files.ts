import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const isWindows = process.platform === 'win32';

/** Writes a file so that after a crash it holds either all of the old or all of the new contents. Default mode 0600. */
export function writeFileAtomically(path: string, contents: string, mode = 0o600): void {
  const temporary = `${path}.new`;
  writeFileDurably(temporary, contents, mode);
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

/** Writes a file and waits until the disk has it. */
export function writeFileDurably(path: string, contents: string, mode: number): void {
  const file = openSync(path, 'w', mode);
  try {
    writeSync(file, contents);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  // Windows can neither open nor sync folders; it does so by itself.
  if (isWindows) return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whether a file or folder was not found. */
export const isFileMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The text of a file, undefined when there is none. */
export function readFileIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    throw error;
  }
}

/** A sentence when others than the owner may use the file or folder, undefined when all is well. */
export function permissionWarning(path: string): string | undefined {
  if (isWindows) return undefined;
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  const fix = statSync(path).isDirectory() ? 'chmod 700' : 'chmod 600';
  return `${path} can be used by others than its owner (mode 0${mode.toString(8)}); run: ${fix} ${path}`;
}
