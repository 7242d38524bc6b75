import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ChandleryError } from '@chandlery/api';
import { childEnvironment } from './child-environment.ts';
import { killGroup, watchGroup } from './watchdog.ts';

/** How to run a command to its end. */
export interface RunProcessOptions {
  /** Added to our own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What the command reads. Default: nothing. */
  readonly stdin?: string | Uint8Array;
  /** The command and its children are killed after this time. Default 60 000. */
  readonly timeoutMs?: number;
}

/** What a command left behind. */
export interface ProcessResult {
  /** -1 when the command died by a signal. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. A failing command is a result, not an error; one that cannot start or hangs is an error. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: RunProcessOptions = {},
): Promise<ProcessResult> {
  const { timeoutMs = 60_000 } = options;
  const child = spawn(command, args, { cwd: options.cwd, env: childEnvironment(options.env), detached: true });
  const pid = await spawned(child, command);
  using _watchdog = watchGroup(pid);
  // Children that hold the output open would keep us waiting for `close`, so the group goes when its leader goes.
  child.once('exit', () => killGroup(pid));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    killGroup(pid);
  }, timeoutMs);
  // A command may end without reading its input; that is its business.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin);
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearTimeout(timer);
  if (isTimedOut) throw hung([command, ...args].join(' '), timeoutMs, stdout + stderr);
  return { code: code ?? -1, signal, stdout, stderr };
}

/** Waits until the system has started a child and returns its process id. */
export function spawned(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', cause =>
      reject(new ChandleryError('CannotStart', `cannot start ${command}: ${cause.message}`, { cause })),
    );
    child.once('spawn', () => resolve(child.pid as number));
  });
}

function hung(commandLine: string, timeoutMs: number, output: string): ChandleryError {
  return new ChandleryError('Timeout', `${commandLine}: not done after ${timeoutMs} ms; it had printed:\n${output}`);
}
