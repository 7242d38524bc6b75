import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit } from '../../model/pods/record.ts';
import { encodeLaunch, type LaunchPlan } from './isolation/launch-plan.ts';
import type { Launcher } from './isolation/launcher.ts';
import { type Family, findFamily, killFamily, privateMemoryOf, sendSignal } from './machine-processes.ts';
import { Watchdog } from './watchdog.ts';

/** A process to start. */
export interface Launch {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Identifies the run of a container; processes with the same one end together. */
  readonly run: string;
  /** Identifies a command inside that run: it ends with the container, but not the container with it. */
  readonly exec?: string;
  /** The namespaces to run in, which `launcher` creates. Default: those of this process. */
  readonly plan?: LaunchPlan;
  readonly launcher?: Launcher;
  readonly niceness?: number;
  readonly memoryBytes?: number;
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** Called before the command may run. */
  readonly onPid?: (pid: number) => void;
}

/** A supervised process. */
export interface KeptProcess {
  /** Settles when the process and all its descendants have ended. */
  readonly exit: Promise<Exit>;
  /** Signals the process itself, as for a container's first process. */
  signal(signal: NodeJS.Signals): void;
  /** Kills the process and all its descendants. */
  kill(): void;
  /** The process and everything it started, as far as the machine knows. */
  pids(): readonly number[];
}

/**
 * Waits for a line before it executes the command: by then the watchdog knows the group. If this process dies before,
 * the input ends and nothing was started.
 */
const gate = 'read -r go || exit 125; exec "$@" </dev/null';
const memoryCheckMs = 500;
/** The exit code of a process that could not be started. */
const neverStartedCode = 128;

/** Starts processes, each the leader of its own group, and ensures that none outlives this process. */
export class ProcessKeeper implements AsyncDisposable {
  readonly #variable: string;
  readonly #watchdog: Watchdog;

  constructor(variable: string) {
    this.#variable = variable;
    this.#watchdog = new Watchdog(variable);
  }

  /** Starts a process. One that cannot be started exits with 128 and an explanation. */
  start(launch: Launch): KeptProcess {
    if (holdsZeroByte(launch)) return neverStarted(zeroByte);
    const [name = '', value = ''] = this.#variable.split('=');
    const exec: Record<string, string> = launch.exec === undefined ? {} : { CHANDLERY_EXEC: launch.exec };
    // Includes the node: another one on the machine may run a pod of the same name.
    const run = `${value}/${launch.run}`;
    const child = spawnGated(launch, { [name]: value, CHANDLERY_RUN: run, ...exec });
    const { pid } = child;
    if (pid === undefined) return failedProcess(child);
    this.#watchdog.add(pid);
    launch.onPid?.(pid);
    if (launch.niceness !== undefined) lowerPriority(pid, launch.niceness);
    openGate(child, launch.plan === undefined ? 'go\n' : encodeLaunch(launch.plan, launch));
    return this.#keep(child, pid, { ...launch, run });
  }

  #keep(child: ChildProcess, pid: number, launch: Launch): KeptProcess {
    const variable = launch.exec === undefined ? `CHANDLERY_RUN=${launch.run}` : `CHANDLERY_EXEC=${launch.exec}`;
    const family = { group: pid, variable };
    let isOutOfMemory = false;
    const limit = launch.memoryBytes;
    const onExceeded = (): void => {
      isOutOfMemory = true;
      killFamily(family);
    };
    const watch =
      limit === undefined
        ? undefined
        : setInterval(() => {
            if (privateMemoryOf(findFamily(family)) > limit) onExceeded();
          }, memoryCheckMs);
    child.stdout?.on('data', (chunk: Buffer) => launch.onOutput?.('stdout', chunk));
    child.stderr?.on('data', (chunk: Buffer) => launch.onOutput?.('stderr', chunk));
    const ended = launch.plan === undefined ? waitForEnd(child, family) : waitForLauncher(child, family, launch);
    const exit = ended.then(told => {
      clearInterval(watch);
      this.#watchdog.remove(pid);
      return isOutOfMemory ? { ...told, isOutOfMemory } : told;
    });
    const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
    return {
      exit,
      signal: signal => isAlive() && sendSignal(pid, signal),
      kill: () => isAlive() && killFamily(family),
      pids: () => (isAlive() ? findFamily(family) : []),
    };
  }

  /** To be called when every process has ended: whatever is left is killed. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#watchdog[Symbol.asyncDispose]();
  }
}

/** Starts a process that waits for its input before it executes the command. `marks` are variables that identify it. */
function spawnGated(launch: Launch, marks: Readonly<Record<string, string>>): ChildProcess {
  const { plan, launcher } = launch;
  if (plan !== undefined && launcher !== undefined) return launcher.spawn(marks);
  return spawn('/bin/sh', ['-c', gate, 'sh', ...launch.command], {
    detached: true,
    cwd: launch.folder,
    env: { ...launch.environment, ...marks },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function openGate(child: ChildProcess, input: string): void {
  child.stdin?.on('error', () => {}); // Killed before it could start; its exit is reported.
  child.stdin?.end(input);
}

/**
 * Waits for a launcher. When it reports the end, everything in its namespace has ended before; when it is killed, the
 * namespace and its mount points are cleaned up here.
 */
async function waitForLauncher(child: ChildProcess, family: Family, { plan, launcher }: Launch): Promise<Exit> {
  const output = untilRead(child);
  const gone = waitForEnd(child, family, signal => signal !== null);
  const report = await Promise.race([readReport(child), gone.then(() => undefined)]);
  const status = /^ended (\d+)$/.exec(report ?? '')?.[1];
  if (status !== undefined) {
    await Promise.race([output, gone]);
    return exitOf(Number(status));
  }
  const ended = await gone;
  if (ended.signal !== undefined) await launcher?.sweep(plan?.points ?? []);
  return report === undefined ? ended : { exitCode: neverStartedCode, message: `cannot start: ${report}` };
}

/** Settles when all output has been read. */
async function untilRead({ stdout, stderr }: ChildProcess): Promise<void> {
  const streams = [stdout, stderr].filter(stream => stream !== null);
  await Promise.allSettled(streams.map(stream => once(stream, 'end')));
}

/** The one report of a launcher; never settles without one. */
const readReport = (child: ChildProcess): Promise<string> =>
  new Promise(resolve => child.stdio[3]?.once('data', (chunk: Buffer) => resolve(chunk.toString())));

/** Decodes a wait status. */
const exitOf = (status: number): Exit => {
  const signal = status & 0x7f;
  return signal === 0 ? { exitCode: status >> 8 } : { exitCode: 128 + signal, signal };
};

/** Waits for the process, then kills and waits for all its descendants. */
async function waitForEnd(
  child: ChildProcess,
  family: Family,
  mayLeaveSome: (signal: NodeJS.Signals | null) => boolean = () => true,
): Promise<Exit> {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (mayLeaveSome(signal)) await killAll(family);
  await Promise.race([closed, delay(1000, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (signal === null) return { exitCode: code ?? 0 };
  const number = constants.signals[signal];
  return { exitCode: 128 + number, signal: number };
}

async function killAll(family: Family): Promise<void> {
  for (let waitMs = 1; killFamily(family) > 0; waitMs = Math.min(waitMs * 2, 100)) await delay(waitMs);
}

function failedProcess(child: ChildProcess): KeptProcess {
  const failed = once(child, 'error') as Promise<[Error]>;
  const exit = failed.then(([error]) => ({ exitCode: neverStartedCode, message: `cannot start: ${error.message}` }));
  return { exit, signal: () => {}, kill: () => {}, pids: () => [] };
}

const neverStarted = (message: string): KeptProcess => ({
  exit: Promise.resolve({ exitCode: neverStartedCode, message: `cannot start: ${message}` }),
  signal: () => {},
  kill: () => {},
  pids: () => [],
});

const zeroByte = 'its command or its variables hold a zero byte, which no program can be given';

/** Checked here because the error of Node.js shows the value, which may be a Secret. */
const holdsZeroByte = ({ command, environment, folder }: Launch): boolean =>
  [...command, ...Object.entries(environment).flat(), folder].some(text => text.includes('\0'));

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Best effort.
  }
}
