import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ChandleryError } from '@chandlery/api';
import type { Account } from './server-account.ts';

/**
 * A shell starts the server and then waits for input from us. The kernel closes the pipe whichever way our process
 * ends, so the server and its folder never outlive us, not even after SIGKILL. Frozen backends are thawed first: a
 * stopped backend would get no signal.
 */
const script = `
log="$1"; folder="$2"; shift 2
"$@" >"$log" 2>&1 &
server=$!
thaw() { ps -A -o pid=,ppid= | while read -r pid parent; do [ "$parent" = "$server" ] && kill -CONT "$pid"; done; }
end() { thaw; kill "-$1" "$server"; kill -CONT "$server"; wait "$server"; }
if read -r signal; then end "$signal"; exit; fi
end QUIT; rm -rf "$folder"
`;

export interface PostgresProcessOptions {
  readonly binaries: string;
  /** Holds `data` (made by initdb), the log and the socket. */
  readonly folder: string;
  readonly account: Account | undefined;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** One run of the server, from start to end. */
export class PostgresProcess {
  readonly #options: PostgresProcessOptions;
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(options: PostgresProcessOptions) {
    const { binaries, folder, account, port, settings } = options;
    const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder, ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [join(binaries, 'postgres'), '-D', join(folder, 'data'), ...flags];
    this.#options = options;
    this.#shell = spawn('/bin/sh', ['-c', script, 'watchdog', join(folder, 'log'), folder, ...command], {
      ...account,
      cwd: folder,
      // A group of its own: Ctrl-C on the terminal must not end the watchdog before it has done its work.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = once(this.#shell, 'exit');
    this.#shell.stdin?.on('error', () => {});
    this.#shell.unref();
    (this.#shell.stdin as unknown as { unref(): void }).unref();
  }

  /** Starts the server and waits until it takes connections. */
  static async start(options: PostgresProcessOptions): Promise<PostgresProcess> {
    // A file left by a crash would make the new server look ready, or its old process id look alive.
    await rm(join(options.folder, 'data', 'postmaster.pid'), { force: true });
    // So would an old log's last words, until the new server has begun its own.
    await rm(join(options.folder, 'log'), { force: true });
    const server = new PostgresProcess(options);
    await server.#ready();
    return server;
  }

  /** Ends the server: `INT` disconnects all clients and shuts down in order, `QUIT` is a crash. */
  async end(signal: 'INT' | 'QUIT'): Promise<void> {
    this.#shell.ref();
    this.#shell.stdin?.write(`${signal}\n`);
    await this.#ended;
  }

  /** Freezes the server and all its backends. The server goes first, so that it starts no backend meanwhile. */
  async pause(): Promise<void> {
    for (const list of [this.#self, this.#backends]) for (const pid of await list()) signalIfThere(pid, 'SIGSTOP');
  }

  /** Resumes them. */
  async resume(): Promise<void> {
    for (const list of [this.#backends, this.#self]) for (const pid of await list()) signalIfThere(pid, 'SIGCONT');
  }

  readonly #self = async (): Promise<number[]> => [Number((await this.#pidFile())[0])];

  readonly #backends = async (): Promise<number[]> => {
    const [server] = await this.#pidFile();
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const processes = stdout.split('\n').map(line => line.trim().split(/\s+/));
    return processes.filter(([, parent]) => parent === server).map(([pid]) => Number(pid));
  };

  async #ready(): Promise<void> {
    const deadline = Date.now() + 60_000;
    // The eighth line of the file has the server's state, which pg_ctl waits for too.
    while (!['ready', 'standby'].includes((await this.#pidFile())[7]?.trim() ?? '')) {
      if (Date.now() > deadline || this.#shell.exitCode !== null) throw await this.#failure();
      if (!(await this.#isAlive())) throw await this.#failure();
      await sleep(20);
    }
  }

  /** The shell outlives a server that could not start, so the log decides: it ends with the reason. */
  async #isAlive(): Promise<boolean> {
    const log = await readFile(join(this.#options.folder, 'log'), 'utf8').catch(() => '');
    return !/FATAL: {2}(?!the database system)/.test(log);
  }

  async #pidFile(): Promise<readonly string[]> {
    const text = await readFile(join(this.#options.folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    return text.split('\n');
  }

  async #failure(): Promise<ChandleryError> {
    const log = await readFile(join(this.#options.folder, 'log'), 'utf8').catch(() => '');
    await this.end('QUIT');
    return new ChandleryError('CannotStart', `PostgreSQL does not start:\n${log}`);
  }
}

/** Backends come and go. No process id (0) would mean ourselves. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, signal);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ESRCH') throw failure;
  }
}
