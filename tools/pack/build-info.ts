import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a release says about itself. */
export interface BuildInfo {
  readonly version: string;
  /** The commit, empty outside of a clone. */
  readonly commit: string;
  readonly treeState: 'clean' | 'dirty';
  /** ISO 8601. */
  readonly date: string;
}

/**
 * The version of package.json, the commit of the clone (or CHANDLERY_BUILD_COMMIT, where there is no history), and the
 * present time (or SOURCE_DATE_EPOCH).
 */
export function createBuildInfo(root: string): BuildInfo {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const epoch = process.env.SOURCE_DATE_EPOCH;
  const date = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
  return {
    version,
    commit: process.env.CHANDLERY_BUILD_COMMIT || git(root, 'rev-parse', 'HEAD'),
    treeState: git(root, 'status', '--porcelain') === '' ? 'clean' : 'dirty',
    date: date.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

function git(root: string, ...args: readonly string[]): string {
  try {
    return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return ''; // A tarball of the sources has no history.
  }
}
