import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** No container can have this name. */
const markOf = (folder: string): string => join(folder, '.cluster');

/** Creates a pod's folder and records the pod's cluster in it. */
export function markFolder(folder: string, cluster: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(markOf(folder), cluster, { mode: 0o600 });
}

/** The cluster recorded in a pod's folder; empty when there is none. */
export function clusterOfFolder(folder: string): string {
  try {
    return readFileSync(markOf(folder), 'utf8');
  } catch {
    return '';
  }
}
