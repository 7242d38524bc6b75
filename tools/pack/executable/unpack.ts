import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';

/** The asset whose text names this build; all others are files. */
const buildId = 'build-id';

/** Where files may be unpacked. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  env['CHANDLERY_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'chandlery');

/** Writes the files of this build into the cache, once, and returns their folder. */
export function unpack(cache: string): string {
  const folder = join(cache, getAsset(buildId, 'utf8'));
  if (!existsSync(folder)) writeFiles(folder);
  assertOwn(folder);
  linkNode(join(folder, 'bin/node'));
  return folder;
}

/**
 * A folder appears with all files at once: several processes may start at the same time. Other users may read it, because
 * programs of local clusters may run as them.
 */
function writeFiles(folder: string): void {
  const draft = `${folder}.${randomUUID()}`;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  try {
    for (const key of getAssetKeys().filter(each => each !== buildId)) {
      const path = join(draft, key);
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      writeFileSync(path, new Uint8Array(getRawAsset(key)), { mode: 0o644 });
    }
    renameSync(draft, folder);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw thrown;
  }
}

/** What another user could write must not run. */
function assertOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  if (!isOwn || (mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to another user, or other users may write to it`);
}

/** `node` is this executable: programs on local clusters find it beside the commands. */
function linkNode(link: string): void {
  const executable = realpathSync(process.execPath);
  if (targetOf(link) === executable) return;
  const draft = `${link}.${randomUUID()}`;
  symlinkSync(executable, draft);
  renameSync(draft, link);
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
