import { accessSync, constants, existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { MountPoint } from './launch-plan.ts';

/** Where something can be mounted, and what has to be made for it. */
export interface Placement {
  /** The path without symbolic links. */
  readonly target: string;
  /** What is on the machine there. */
  readonly found: 'nothing' | 'file' | 'directory';
  /** To be made on the machine for as long as it is used. */
  readonly point?: MountPoint;
  /** The folder to replace by a private view, because nothing can be made in it. */
  readonly view?: string;
}

/** The pod asks for something that would undo its isolation, or that cannot be mounted. Trying again does not help. */
export const isolationRefused = (message: string): ChandleryError => new ChandleryError('IsolationRefused', message);

const kernelFolders = ['/proc', '/sys'];

/** Finds where a private path can be mounted. In the root folder nothing has to be made: the pod has one of its own. */
export function placeMount(path: string, kind: 'file' | 'directory'): Placement {
  const base = nearestExisting(path);
  const real = realpathSync(base);
  const rest = relative(base, path);
  const target = join(real, rest);
  if (kernelFolders.some(folder => isInside(target, folder))) throw isolationRefused(`"${path}" cannot be private.`);
  if (rest === '') return { target, found: statSync(real).isDirectory() ? 'directory' : 'file' };
  if (real === '/') return { target, found: 'nothing' };
  if (!statSync(real).isDirectory()) throw isolationRefused(`"${path}" cannot be private: "${base}" is a file.`);
  return isWritable(real)
    ? { target, found: 'nothing', point: { kind, base: real, rest } }
    : { target, found: 'nothing', view: real };
}

/** True when a path is a folder or lies in it. */
export const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The nearest path above that is the machine's own: mount points of other pods go when these end. */
function nearestExisting(path: string): string {
  let existing = path;
  while (!existsSync(existing) || isMountPoint(existing)) existing = dirname(existing);
  return existing;
}

/** True for what a launcher has made, which it marks by the sticky bit. */
function isMountPoint(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & stickyBit) === 0) return false;
  return found.isDirectory() ? (found.mode & writableByOthers) === 0 : found.isFile();
}

const stickyBit = 0o1000;
const writableByOthers = 0o022;

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
