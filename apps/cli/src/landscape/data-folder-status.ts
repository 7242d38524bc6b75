import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatBytes } from '../output/byte-progress.ts';
import type { Check } from './landscape-status.ts';

/** The data folder of a landscape on this machine. */
export interface DataFolder {
  readonly path: string;
  readonly bytes: number;
  readonly freeBytes: number;
}

/** With less room than this, writes are about to fail. */
const minFreeBytes = 200e6;

/** Undefined when there is no such folder on this machine. */
export function readDataFolder(path: string): DataFolder | undefined {
  if (!existsSync(path)) return undefined;
  const { bavail, bsize } = statfsSync(path);
  return { path, bytes: sizeOf(path), freeBytes: bavail * bsize };
}

/** Files that are deleted meanwhile, or that are not ours to read, count as nothing. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? fileSize(join(entry.parentPath, entry.name)) : 0), 0);
}

function fileSize(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Whether there is room for further writes. */
export const diskCheck = ({ path, freeBytes }: DataFolder): Check => ({
  name: 'disk',
  isOk: freeBytes >= minFreeBytes,
  reason: `${formatBytes(freeBytes)} free at ${path}`,
});
