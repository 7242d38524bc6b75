import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that every image has. */
const systemFolders: readonly string[] = [
  '/bin',
  '/dev',
  '/dev/shm',
  '/etc',
  '/home',
  '/lib',
  '/media',
  '/mnt',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/tmp',
  '/usr',
  '/usr/bin',
  '/usr/lib',
  '/usr/local',
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/sbin',
  '/usr/share',
  '/var',
  '/var/lib',
  '/var/log',
  '/var/run',
  '/var/tmp',
];

export const isSystemFolder = (path: string): boolean => systemFolders.includes(path);

/** Makes the folders that every image has below the one that stands for `/`, so that containers find them. */
export async function makeSystemFolders(rootFolder: string): Promise<void> {
  for (const folder of systemFolders) await mkdir(join(rootFolder, folder), { recursive: true });
}

/** Where programs are looked for first: those that inputs bring along. */
export const programFolders = (rootFolder: string): string =>
  ['/usr/local/bin', '/usr/bin', '/bin'].map(folder => join(rootFolder, folder)).join(':');
