import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerUsage } from '../../ports.ts';
import { cpuSecondsOf, privateMemoryOf } from './machine-processes.ts';

/** What of a container is measured. */
export interface MeasuredContainer {
  /** The processes that it has now. */
  readonly pids: () => readonly number[];
  /** Folders that go with the pod. */
  readonly folders: readonly string[];
  /** Folders that outlive it. */
  readonly claims: readonly string[];
}

/** CPU is what was used within so long. */
const sampleMs = 250;

/** So many files of a folder are counted. */
const maxFiles = 100_000;

/** Measures a container; undefined when it has no processes, or the machine has no such data. */
export async function measureContainer(container: MeasuredContainer): Promise<ContainerUsage | undefined> {
  const before = container.pids();
  if (before.length === 0) return undefined;
  const [start, used] = [performance.now(), cpuSecondsOf(before)];
  const [ephemeralStorageBytes, storageBytes] = await Promise.all([
    sizeOf(container.folders),
    sizeOf(container.claims),
    sleep(sampleMs),
  ]);
  const after = container.pids();
  const seconds = (performance.now() - start) / 1000;
  return {
    // Processes that have ended meanwhile would make it negative.
    cpuCores: Math.max(0, cpuSecondsOf(after) - used) / seconds,
    memoryBytes: privateMemoryOf(after),
    storageBytes,
    ephemeralStorageBytes,
  };
}

/** Bytes of all files in folders. Links are not followed; what cannot be read counts for nothing. */
async function sizeOf(folders: readonly string[]): Promise<number> {
  const rest = [...folders];
  let bytes = 0;
  let files = 0;
  for (let path = rest.pop(); path !== undefined && files < maxFiles; path = rest.pop(), files++) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() === true) bytes += found.size;
    if (found?.isDirectory() === true) rest.push(...(await namesIn(path)));
  }
  return bytes;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      names.push(join(folder, name));
      if (names.length >= maxFiles) break;
    }
  } catch {
    // Removed meanwhile.
  }
  return names;
}
