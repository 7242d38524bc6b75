import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test; removed when the test leaves its block. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
  /** The path of something inside the folder. Nothing is created. */
  join(...parts: readonly string[]): string;
}

/** Makes an empty folder: `await using folder = await tempFolder()`. */
export async function tempFolder(prefix = 'chandlery-'): Promise<TempFolder> {
  // The real path, because macOS hands out a link and children report where they really are.
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}
