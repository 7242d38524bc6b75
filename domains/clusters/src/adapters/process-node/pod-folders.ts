import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** No container can have this name. */
const markOf = (folder: string): string => join(folder, '.cluster');

/** Makes a pod's folder and notes in it to which cluster the pod belongs. */
export function markFolder(folder: string, cluster: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(markOf(folder), cluster, { mode: 0o600 });
}

/** The cluster noted in a pod's folder; empty when nothing is. */
export function clusterOfFolder(folder: string): string {
  try {
    return readFileSync(markOf(folder), 'utf8');
  } catch {
    return '';
  }
}
