import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProcess, tempFolder } from '@chandlery/testing';

/** A disk that a test can fill up. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it. */
  readonly folder: string;
  /** Leaves no room for the process that writes there. */
  fill(processId: number): Promise<void>;
  /** Makes room again. */
  free(processId: number): Promise<void>;
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProcess(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/** A file system of its own in memory. Takes root's rights on Linux. */
export async function mountedDisk(megabytes: number): Promise<SmallDisk> {
  const mountPoint = await tempFolder('chandlery-disk-');
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', mountPoint.path]);
  const ballast = join(mountPoint.path, 'ballast');
  return {
    folder: join(mountPoint.path, 'data'),
    fill: () => writeUntilFull(ballast),
    free: () => rm(ballast),
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['--lazy', mountPoint.path]);
      await mountPoint[Symbol.asyncDispose]();
    },
  };
}

/** A disk that rejects one process, by the kernel's limit on the size of files. Any user may do that on Linux. */
export async function rationedDisk(): Promise<SmallDisk> {
  const folder = await tempFolder('chandlery-disk-');
  const ration = (processId: number, bytes: string): Promise<void> =>
    run('prlimit', ['--pid', String(processId), `--fsize=${bytes}:unlimited`]);
  return {
    folder: folder.join('data'),
    fill: processId => ration(processId, '4096'),
    free: processId => ration(processId, 'unlimited'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function writeUntilFull(path: string): Promise<void> {
  const file = await open(path, 'w');
  // Ever smaller pieces, until not one more page fits.
  for (const size of [1024 * 1024, 64 * 1024, 4096]) {
    try {
      for (;;) await file.write(Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  await file.close();
}
