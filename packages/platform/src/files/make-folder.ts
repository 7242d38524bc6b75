import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/**
 * Makes a folder, and those above it that are missing, one by one. Does nothing when it is there.
 *
 * Node's recursive `mkdir` takes "no such file" to mean that the parent is missing. Where a system says so of a folder
 * that may not have children, such as `/proc`, it tries forever.
 */
export function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw explain(folder, cause);
  }
}

function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw notMade(`${path} is not a folder`);
  return found !== undefined;
}

/** The system's own words, except where they mislead. */
function explain(folder: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return notMade(`nothing can be made in ${dirname(folder)}`, cause);
  if (code === 'EEXIST') return notMade(`${folder} is a link to something that is not there`, cause);
  return cause;
}

const notMade = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('FolderNotMade', why, { hint: 'Choose another folder.', cause });
