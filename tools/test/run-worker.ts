import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cpuTimeMs } from './cpu-time.ts';
import type { FileResult, WorkerMessage } from './messages.ts';

/** What a worker needs to know besides its files. */
export interface WorkerOptions {
  readonly root: string;
  /** A file that takes longer is killed and has failed. */
  readonly timeLimitMs: number;
  readonly namePattern?: string | undefined;
  onResult(result: FileResult, output: string): void;
  /** All tests are done, but something they opened kept the process running, so it was killed. */
  onLeftOpen(files: readonly string[]): void;
}

/** A worker that has finished all its files may take this long to close what it opened. */
const goodbyeMs = 5_000;

/**
 * Runs test files in one process of their own and reports each as it finishes.
 *
 * Returns the files that did not get their turn because one before them brought the process down; that one has been
 * reported as failed.
 */
export function runWorker(files: readonly string[], options: WorkerOptions): Promise<string[]> {
  const worker = spawnWorker(files, options);
  const unfinished = new Set(files);
  let current = files[0] ?? '';
  let output = '';
  let verdict: string | undefined;
  let cpuBeforeMs = 0;
  const timer = new Deadline(() => {
    if (unfinished.size === 0) options.onLeftOpen(files);
    else verdict = `killed: not done after ${options.timeLimitMs / 1000} s`;
    kill(worker);
  });

  const report = (result: FileResult): void => {
    unfinished.delete(result.file);
    options.onResult(result, output);
    output = '';
  };
  const withCpuTime = (result: FileResult): FileResult => {
    const cpuMs = cpuTimeMs(worker.pid ?? 0);
    if (cpuMs === undefined) return result;
    const usedMs = cpuMs - cpuBeforeMs;
    cpuBeforeMs = cpuMs;
    return { ...result, cpuMs: usedMs };
  };
  const onMessage = (message: WorkerMessage): void => {
    switch (message.type) {
      case 'started':
        current = message.file;
        timer.restart(options.timeLimitMs);
        return;
      case 'finished':
        report(withCpuTime(message.result));
        timer.restart(unfinished.size > 0 ? options.timeLimitMs : goodbyeMs);
        return;
      case 'stray':
        options.onResult(failure(current, message.message), output);
        return;
      default:
        message satisfies never;
    }
  };

  timer.restart(options.timeLimitMs);
  // What the worker printed before a message may be read after it: the streams of this tick come first.
  worker.on('message', message => setImmediate(onMessage, message as WorkerMessage));
  for (const stream of [worker.stdout, worker.stderr])
    stream?.setEncoding('utf8').on('data', chunk => (output += chunk));
  // Children that hold the output open would keep us waiting for `close`.
  worker.once('exit', () => kill(worker));
  return new Promise(resolve => {
    worker.once('close', (code, signal) => {
      timer.stop();
      if (unfinished.size > 0)
        report(failure(current, verdict ?? `the process ended early with ${signal ?? `code ${code}`}`));
      resolve([...unfinished]);
    });
  });
}

/** In a group of its own, so that what a test left behind can be ended with it. */
function spawnWorker(files: readonly string[], { root, namePattern }: WorkerOptions): ChildProcess {
  const worker = join(import.meta.dirname, 'worker.ts');
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compiled'), CHANDLERY_TEST_NAME: namePattern };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', worker, ...files], {
    cwd: root,
    env: { ...env, NODE_TEST_CONTEXT: undefined },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const killOnExit = (): void => kill(child);
  process.once('exit', killOnExit);
  child.once('close', () => process.off('exit', killOnExit));
  return child;
}

function kill(worker: ChildProcess): void {
  try {
    if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
  } catch {
    // ESRCH: no process is left.
  }
}

const failure = (file: string, message: string): FileResult => ({
  file,
  passed: 0,
  failed: 1,
  skipped: 0,
  durationMs: 0,
  failures: [message],
  skipReasons: [],
});

/** A timer that can be set again. */
class Deadline {
  readonly #onTimeUp: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTimeUp: () => void) {
    this.#onTimeUp = onTimeUp;
  }

  restart(afterMs: number): void {
    this.stop();
    this.#timer = setTimeout(this.#onTimeUp, afterMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
