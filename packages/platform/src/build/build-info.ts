import { execFileSync } from 'node:child_process';
import packageJson from '../../package.json' with { type: 'json' };

/** Which state of the sources runs. */
export interface BuildInfo {
  readonly version: string;
  /** The commit, empty when it is not known. */
  readonly commit: string;
  /** Whether the sources had changes beside the commit. */
  readonly treeState: 'clean' | 'dirty';
  /** When it was built; in a clone, when it was committed. ISO 8601. */
  readonly date: string;
  /** False in a clone, where the sources run. */
  readonly isRelease: boolean;
}

declare global {
  /** Set by the bundler of a release (`tools/pack`). */
  var chandleryBuild: Omit<BuildInfo, 'isRelease'> | undefined;
}

/** The version of Chandlery (SemVer). */
export const buildVersion: string = globalThis.chandleryBuild?.version ?? packageJson.version;

let known: BuildInfo | undefined;

/** What this process was built from: noted in a release, read from git in a clone. */
export function readBuildInfo(): BuildInfo {
  known ??= globalThis.chandleryBuild === undefined ? fromClone() : { ...globalThis.chandleryBuild, isRelease: true };
  return known;
}

function fromClone(): BuildInfo {
  const [commit = '', date = ''] = git('log', '-1', '--format=%H %cI').split(' ');
  return {
    version: buildVersion,
    commit,
    treeState: commit !== '' && git('status', '--porcelain', '--untracked-files=no') === '' ? 'clean' : 'dirty',
    date: date === '' ? unknownDate : new Date(date).toISOString().replace(/\.\d+Z$/, 'Z'),
    isRelease: false,
  };
}

/** Kubernetes clients want a date in any case. */
const unknownDate = '1970-01-01T00:00:00Z';

/** The output of a git command in the folder of the sources, empty when there is no git or no clone. */
function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
