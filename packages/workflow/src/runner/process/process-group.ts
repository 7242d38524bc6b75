import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ProcessEnd {
  readonly exitCode: number;
  /** The last part of the standard output. */
  readonly stdout: string;
  /** Why the command could not be started. */
  readonly problem?: string;
}

/** Results longer than this keep their end. */
const maxOutputBytes = 256 * 1024;
/** What a shell adds to the number of a signal. */
const signalBase = 128;
/** As Argo's executor ends when it finds no command. */
const noCommandCode = 64;

/** A command in a process group of its own, so that all it starts can be ended. */
export class ProcessGroup {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isEnded = false;
  #force: NodeJS.Timeout | undefined;

  constructor({ command, env, cwd }: ProcessSpec, onOutput?: (chunk: Buffer, stream: 'stdout' | 'stderr') => void) {
    const [file = '', ...args] = command;
    this.#child = spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#keep(chunk);
      onOutput?.(chunk, 'stdout');
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => onOutput?.(chunk, 'stderr'));
    this.ended = this.#wait(file);
  }

  /** SIGTERM to the group, and SIGKILL after the grace period. */
  kill(graceSeconds: number): void {
    if (this.#isEnded) return;
    this.#signal('SIGTERM');
    this.#force ??= setTimeout(() => this.killNow(), graceSeconds * 1000);
  }

  killNow(): void {
    if (!this.#isEnded) this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has ended in the meantime.
    }
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * maxOutputBytes) return;
    const end = Buffer.concat(this.#chunks).subarray(-maxOutputBytes);
    this.#chunks = [end];
    this.#bytes = end.length;
  }

  #wait(file: string): Promise<ProcessEnd> {
    return new Promise(resolve => {
      const finish = (end: Omit<ProcessEnd, 'stdout'>): void => {
        if (this.#isEnded) return;
        // Whatever the command left behind in its group must not survive.
        this.#signal('SIGKILL');
        this.#isEnded = true;
        clearTimeout(this.#force);
        const stdout = Buffer.concat(this.#chunks).subarray(-maxOutputBytes).toString('utf8');
        resolve({ ...end, stdout });
      };
      this.#child.once('error', error => {
        const cause = `exec: "${file}": executable file not found in $PATH`;
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        finish({
          exitCode: noCommandCode,
          problem: isMissing ? `failed to find name in PATH: ${cause}` : error.message,
        });
      });
      this.#child.once('exit', (code, signal) => {
        const exitCode = code ?? signalBase + (signal === null ? 0 : constants.signals[signal]);
        // Output that is still in the pipe belongs to the result; processes left behind may keep the pipe open.
        this.#signal('SIGKILL');
        this.#child.once('close', () => finish({ exitCode }));
      });
    });
  }
}
