import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeLaunch, encodeSweep, hasSystemCalls, type LaunchPlan, type MountPoint } from './launch-plan.ts';
import { launcherSource } from './launcher-source.ts';

const searchPath = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
const trialMs = 10_000;
const nothing: LaunchPlan = { points: [], views: [], hidden: [], binds: [], links: [] };

/** The launcher of a node: the program in the node's directory, and whether it works on this machine. */
export class Launcher {
  readonly #perl: string;
  readonly #file: string;
  #problem: Promise<string | undefined> | undefined;

  constructor(folder: string, perl = 'perl') {
    this.#perl = perl;
    this.#file = join(folder, 'launcher.pl');
    writeFileSync(this.#file, launcherSource, { mode: 0o600 });
  }

  /**
   * Starts a process that waits for its plan. Its environment is `marks` only, because the command's own could change
   * Perl itself. It ends with this process, whatever happens to the watchdog.
   */
  spawn(marks: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(this.#perl, [this.#file, String(process.pid)], {
      // The title is not set by the program: that would overwrite the variables by which it is found.
      argv0: 'chandlery-pod',
      detached: true,
      cwd: '/',
      env: { PATH: searchPath, ...marks },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
  }

  /** Why commands cannot have namespaces here; undefined when they can. Determined once, by a trial. */
  problem(): Promise<string | undefined> {
    this.#problem ??= tryLauncher(this);
    return this.#problem;
  }

  /** Removes mount points of a killed launcher, unless they are in use. */
  async sweep(points: readonly MountPoint[]): Promise<void> {
    if (points.length === 0) return;
    const child = this.spawn();
    child.stdin?.on('error', () => {});
    child.on('error', () => {});
    child.stdin?.end(encodeSweep(points));
    await once(child, 'close').catch(() => {});
  }

  /** Removes what launchers of an earlier node process have left. */
  async sweepLeftovers(podsFolder: string): Promise<void> {
    const files = globSync(join(podsFolder, '*', '*', pointsFile));
    await this.sweep(files.flatMap(readPoints));
    for (const file of files) rmSync(file, { force: true });
  }
}

async function tryLauncher(launcher: Launcher): Promise<string | undefined> {
  if (process.platform !== 'linux') return `${process.platform} has no namespaces`;
  if (!hasSystemCalls(process.arch)) return `the system calls of ${process.arch} are not known`;
  const child = launcher.spawn();
  const timer = setTimeout(() => child.kill('SIGKILL'), trialMs);
  const said: Buffer[] = [];
  for (const stream of [child.stderr, child.stdio[3]]) stream?.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin?.on('error', () => {});
  child.stdin?.end(encodeLaunch(nothing, { command: ['true'], environment: { PATH: searchPath }, folder: '/' }));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0 ? undefined : Buffer.concat(said).toString().trim() || `the trial ended with ${code}`;
  } catch (error) {
    return `perl cannot be started: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

/** No log of a container can have this name. */
const pointsFile = 'mount-points';

/** Stores the mount points of a container for the next node process. */
export const writePoints = (containerFolder: string, points: readonly MountPoint[]): void => {
  if (points.length > 0) writeFileSync(join(containerFolder, pointsFile), JSON.stringify(points), { mode: 0o600 });
};

export const removePoints = (containerFolder: string): void =>
  rmSync(join(containerFolder, pointsFile), { force: true });

function readPoints(file: string): readonly MountPoint[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly MountPoint[];
  } catch {
    return []; // Half written: nothing was started with it.
  }
}
