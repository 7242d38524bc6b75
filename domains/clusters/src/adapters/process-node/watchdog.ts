import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Reads `+ group` and `- group` lines. When its input ends, its owner is gone, however that happened: it kills the
 * groups that are left, and then whoever carries the node's variable. A shell, because it must cost next to nothing.
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
for group in $groups; do kill -KILL -- "-$group"; done
for round in 1 2 3; do
  for file in $(grep -lsaz "^$1\\$" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
done
`;

/** A child process that outlives us by just as long as it takes to kill what we started. */
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

  /** From now on the group dies with us. Returns when the watchdog can no longer miss it. */
  add(group: number): void {
    this.#groups.add(group);
    this.#tell(`+ ${group}\n`);
  }

  /** The group is gone; its number may come back as somebody else's. */
  remove(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}\n`);
  }

  #tell(line: string): void {
    this.#child.stdin?.write(line);
  }

  #start(): ChildProcess {
    const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
    const child = spawn('/bin/sh', ['-c', script, 'chandlery-watchdog', this.#variable], {
      // A session of its own: what is typed at our terminal is not for it.
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
