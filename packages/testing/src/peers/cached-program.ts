import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isExecutable } from '../is-executable.ts';
import { run } from './debian-packages.ts';
import type { FoundProgram } from './found-program.ts';

const cacheFolder = join(import.meta.dirname, '../../../../.cache');

/** A program that a package manager brings into a folder of ours. */
export interface CachedProgram {
  /** With the version: `moto-5.2.1`. */
  readonly name: string;
  /** Below the folder. */
  readonly program: string;
  /** The commands that fill the folder, in order. */
  commands(folder: string): readonly (readonly [program: string, ...args: string[]])[];
  /** How long each command may take. Default: five minutes. */
  readonly timeoutMs?: number;
}

/**
 * Returns a program out of `.cache`, fetched once. Any number of processes may do so at once: each fills a folder of its
 * own, and renaming it into place is atomic; programs that know where they are must not mind.
 */
export async function findCachedProgram(wanted: CachedProgram, cache = cacheFolder): Promise<FoundProgram> {
  const folder = join(cache, wanted.name);
  const path = join(folder, wanted.program);
  if (await isExecutable(path)) return { path };
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(dirname(draft), { recursive: true });
  try {
    for (const [program, ...args] of wanted.commands(draft)) {
      const { code, stdout, stderr } = await run(program, args, wanted.timeoutMs);
      if (code !== 0)
        return { reason: `no ${wanted.name}: ${program} failed: ${(stderr || stdout).trim().slice(-500)}` };
    }
    await rename(draft, folder).catch(() => {});
    return (await isExecutable(path))
      ? { path }
      : { reason: `no ${wanted.name}: the package has no ${wanted.program}` };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
