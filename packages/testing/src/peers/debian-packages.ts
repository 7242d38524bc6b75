import { toError } from '@chandlery/api';
import { runProcess } from '../run-process.ts';
import type { FoundProgram } from './found-program.ts';

const installTimeoutMs = 300_000;
/** Where Debian puts programs, those of administrators included. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

/**
 * Returns a program of a Debian package. The package is installed where the tests run as root and apt-get is there; the
 * services that it brings are not started.
 */
export async function findDebianProgram(program: string, debianPackage: string): Promise<FoundProgram> {
  const present = await findProgram(program);
  if (present !== undefined) return { path: present };
  const none = (why: string): FoundProgram => ({
    reason: `no ${program}: ${why}. Install the package ${debianPackage}.`,
  });
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return none('it is not installed, and only root can');
  const failure = await installDebianPackages([debianPackage]);
  const path = await findProgram(program);
  return path === undefined ? none(`it cannot be installed: ${failure ?? 'the package does not have it'}`) : { path };
}

/** Returns the path of a program, undefined when it is not installed. */
export async function findProgram(program: string): Promise<string | undefined> {
  const { code, stdout } = await run('sh', ['-c', `PATH="$1" command -v "$2"`, 'find', searchPath, program]);
  return code === 0 ? stdout.trim() : undefined;
}

/** Installs packages as root. Returns why it failed. */
export async function installDebianPackages(packages: readonly string[]): Promise<string | undefined> {
  const flags = ['install', '--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  const installPackages = () => run('apt-get', [...flags, ...packages]);
  const first = await installPackages();
  if (first.code === 0) return undefined;
  // An installation that was interrupted earlier, as when its test was killed, blocks all later ones.
  await run('dpkg', ['--configure', '-a']);
  await run('apt-get', ['update']);
  const second = await installPackages();
  return second.code === 0 ? undefined : second.stderr.trim();
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that cannot be started has failed. In run level 1 packages do not start their services. */
export const run = (program: string, args: readonly string[], timeoutMs: number = installTimeoutMs): Promise<Outcome> =>
  runProcess(program, args, {
    timeoutMs,
    env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  }).catch((error: unknown) => ({ code: -1, stdout: '', stderr: toError(error).message }));
