import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Reads `+ group` and `- group` lines. When its input ends, its owner has ended in any way: it kills the remaining
 * groups, and then all processes with the node's variable. A shell script, because it must cost next to nothing. Not
 * `kill -KILL --`: dash takes the dashes for a process.
 */
const script = `
groups=" "
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
exec 2>/dev/null
for group in $groups; do kill -9 "-$group"; done
for round in 1 2 3; do
  for file in $(grep -lsaz "^$1\\$" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
done
`;

/** A child process that outlives this process just long enough to kill what it started. */
export class Watchdog implements AsyncDisposable {
  readonly #variable: string;
  readonly #groups = new Set<number>();
  #child: ChildProcess;
  #isDisposed = false;

  /** `variable` is `NAME=value`, carried by every process to kill. */
  constructor(variable: string) {
    this.#variable = variable;
    this.#child = this.#start();
  }

  /** Adds a group, which is then killed with this process. Returns when the watchdog cannot miss it any more. */
  add(group: number): void {
    this.#groups.add(group);
    this.#notify(`+ ${group}\n`);
  }

  /** Removes an ended group, whose number another process may get. */
  remove(group: number): void {
    if (this.#groups.delete(group)) this.#notify(`- ${group}\n`);
  }

  #notify(line: string): void {
    this.#child.stdin?.write(line);
  }

  #start(): ChildProcess {
    const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
    const child = spawn('/bin/sh', ['-c', script, 'chandlery-watchdog', this.#variable], {
      // A session of its own, so that the signals of the terminal do not reach it.
      detached: true,
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin?.on('error', () => {}); // A dead watchdog is replaced below.
    child.on('error', () => {});
    child.on('exit', () => this.#restart());
    child.unref();
    for (const group of this.#groups) child.stdin?.write(`+ ${group}\n`);
    return child;
  }

  #restart(): void {
    if (!this.#isDisposed) this.#child = this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#child.ref();
    const ended =
      this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, 'exit') : undefined;
    this.#child.stdin?.end();
    await ended;
  }
}
