import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { ChandleryError } from '@chandlery/api';
import { childEnvironment } from './child-environment.ts';
import { spawned } from './run-process.ts';
import { killGroup, watchGroup } from './watchdog.ts';

/** How to start a process and how to know that it is up. */
export interface StartProcessOptions {
  /** What its output (both streams, so far) must match or be accepted by. Default: it counts as ready at once. */
  readonly ready?: RegExp | ((output: string) => boolean);
  /** Added to our own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Default 30 000. */
  readonly readyTimeoutMs?: number;
}

/** How a process ended: one of the two is set. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that runs beside the test. Leaving the `await using` block kills it and all its children. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** Everything printed so far, both streams in the order they arrived. */
  output(): string;
  stdout(): string;
  stderr(): string;
  /** Resolves when the process has ended and its output is complete; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Waits until the output matches; rejects when the process ends or the time is up before that. */
  waitForOutput(pattern: RegExp | ((output: string) => boolean), timeoutMs?: number): Promise<void>;
  /** Sends a signal to the process itself, not to its children. */
  signal(signal: NodeJS.Signals): void;
  /** Pulls the plug: SIGKILL to the process and all its children. */
  kill9(): Promise<ProcessEnd>;
  /** Asks with SIGTERM, insists with SIGKILL after `timeoutMs` (default 10 000). */
  stop(timeoutMs?: number): Promise<ProcessEnd>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a process and waits until it is ready. It cannot outlive the test process. */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: StartProcessOptions = {},
): Promise<RunningProcess> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: childEnvironment(options.env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = observe(child, await spawned(child, command), [command, ...args].join(' '));
  if (options.ready === undefined) return running;
  try {
    await running.waitForOutput(options.ready, options.readyTimeoutMs ?? 30_000);
    return running;
  } catch (failure) {
    await running.kill9();
    throw failure;
  }
}

function observe(child: Child, pid: number, commandLine: string): RunningProcess {
  const captured = capture(child);
  const watchdog = watchGroup(pid);
  // Children that hold the output open would keep us waiting for `close`, so the group goes when its leader goes.
  child.once('exit', () => killGroup(pid));
  const ended = new Promise<ProcessEnd>(resolve => {
    child.once('close', (code, signal) => {
      watchdog[Symbol.dispose]();
      resolve({ code, signal });
    });
  });
  const kill9 = (): Promise<ProcessEnd> => {
    if (child.exitCode === null && child.signalCode === null) killGroup(pid);
    return ended;
  };
  return {
    pid,
    ...captured,
    ended,
    kill9,
    signal: signal => void child.kill(signal),
    waitForOutput: (pattern, timeoutMs = 10_000) =>
      waitForOutput({ child, commandLine, ended, output: captured.output }, pattern, timeoutMs),
    stop: async (timeoutMs = 10_000) => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => void kill9(), timeoutMs);
      const end = await ended;
      clearTimeout(timer);
      return end;
    },
    [Symbol.asyncDispose]: async () => void (await kill9()),
  };
}

function capture(child: Child): Pick<RunningProcess, 'output' | 'stdout' | 'stderr'> {
  const seen = { output: '', stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      seen[name] += chunk;
      seen.output += chunk;
    });
  }
  return { output: () => seen.output, stdout: () => seen.stdout, stderr: () => seen.stderr };
}

interface Watched {
  readonly child: Child;
  readonly commandLine: string;
  readonly ended: Promise<ProcessEnd>;
  output(): string;
}

async function waitForOutput(
  watched: Watched,
  pattern: RegExp | ((output: string) => boolean),
  timeoutMs: number,
): Promise<void> {
  const isSeen = (): boolean =>
    typeof pattern === 'function' ? pattern(watched.output()) : watched.output().search(pattern) >= 0;
  const { child } = watched;
  const seen = Promise.withResolvers<string | undefined>();
  const look = (): void => {
    if (isSeen()) seen.resolve(undefined);
  };
  const timer = setTimeout(() => seen.resolve(`has not printed ${String(pattern)} after ${timeoutMs} ms`), timeoutMs);
  child.stdout.on('data', look);
  child.stderr.on('data', look);
  void watched.ended.then(({ code, signal }) => {
    look();
    seen.resolve(`ended with ${signal ?? `code ${code}`} before it printed ${String(pattern)}`);
  });
  look();
  const problem = await seen.promise;
  clearTimeout(timer);
  child.stdout.off('data', look);
  child.stderr.off('data', look);
  if (problem === undefined) return;
  throw new ChandleryError('NotReady', `${watched.commandLine} ${problem}; it had printed:\n${watched.output()}`);
}
