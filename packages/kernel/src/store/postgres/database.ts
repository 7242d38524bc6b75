import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '@chandlery/platform';
import pg from 'pg';
import { HostFinder } from './host-finder.ts';
import { isConnectionLost, isHostTrouble, postgresError } from './postgres-failure.ts';

export interface DatabaseOptions {
  /** Of one server or several, of which the first that takes writes is used. */
  readonly url: string;
  readonly schema: string;
  /** No statement takes longer than this. */
  readonly timeoutMs: number;
}

/** A prepared statement: its name is what the server remembers it by. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** One server and the connections to it. */
interface Host {
  /** Host and port, for messages. */
  readonly place: string;
  readonly config: pg.ClientConfig;
  readonly readers: pg.Pool;
  readonly writers: pg.Pool;
}

/**
 * Connections to the server: some for reads, and a few of their own for writes, which must not wait behind reads. With
 * several servers, connections go to one at a time; when it fails or takes no more writes, to the first that does.
 */
export class Database implements AsyncDisposable {
  readonly schema: string;
  readonly #sockets = new Set<Socket>();
  readonly #finder: HostFinder<Host>;

  constructor({ url, schema, timeoutMs }: DatabaseOptions) {
    this.schema = schema;
    const { urls, target } = parseDatabaseUrl(url);
    const hosts = urls.map(each => this.#hostOf({ ...clientConfig(each, schema, timeoutMs) }, each));
    this.#finder = new HostFinder({ hosts, target });
  }

  /** Host and port of the server in use, or of all while none is, for messages. */
  get place(): string {
    return this.#finder.place;
  }

  /** Calls the listener whenever another server has come into use. */
  onFailover(listener: () => void): void {
    this.#finder.onChange(listener);
  }

  /** Runs one statement that may be repeated: connections that turn out to be dead are replaced. Default timeout: the database's. */
  async read<T>(statement: Statement, values: readonly unknown[] = [], timeoutMs?: number): Promise<T[]> {
    const query = {
      ...statement,
      values: [...values],
      ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }),
    };
    for (let deadConnections = 0; ; deadConnections++) {
      let host: Host | undefined;
      try {
        host = await this.#finder.current();
        const { rows } = await host.readers.query(query);
        return rows as T[];
      } catch (thrown) {
        const isElsewhere = isHostTrouble(thrown) && (await this.#finder.leave(host));
        // All that the pool has may have died at once.
        const isWorthwhile = isElsewhere || isConnectionLost(thrown);
        if (!isWorthwhile || deadConnections === maxReaders) throw postgresError(thrown, this.place);
      }
    }
  }

  /** Several reads on one state of the database. */
  async readTogether<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    await using connection = await this.connect('read');
    await connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await work(connection);
    await connection.run('COMMIT');
    return result;
  }

  /** Lends a connection; disposing gives it back, or drops it when a statement has failed. */
  async connect(purpose: 'read' | 'write'): Promise<Connection> {
    for (let attempts = 0; ; attempts++) {
      let host: Host | undefined;
      try {
        host = await this.#finder.current();
        const client = await (purpose === 'read' ? host.readers : host.writers).connect();
        return new Connection(client, host.place, thrown => this.#noteFailure(thrown, host));
      } catch (thrown) {
        const isElsewhere = attempts === 0 && isHostTrouble(thrown) && (await this.#finder.leave(host));
        if (!isElsewhere) throw postgresError(thrown, this.place);
      }
    }
  }

  /** A connection outside the pools, for listening. */
  async newClient(): Promise<pg.Client> {
    const { config } = await this.#finder.current();
    return new pg.Client(config);
  }

  /** Says goodbye, but does not wait long for a server that does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = Promise.all(this.#finder.hosts.map(({ readers, writers }) => [readers.end(), writers.end()]).flat());
    const isOver = new AbortController();
    await Promise.race([ended, sleep(goodbyeMs, undefined, { signal: isOver.signal }).catch(() => {})]);
    isOver.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The caller of the statement gets the failure; later callers must find a working server. */
  #noteFailure(thrown: unknown, host: Host | undefined): void {
    if (isHostTrouble(thrown)) this.#finder.leave(host).catch(() => {});
  }

  #hostOf(settings: pg.ClientConfig, url: string): Host {
    const config = { ...settings, stream: () => this.#newSocket() };
    const { host, port } = new pg.Client({ connectionString: url });
    const readers = newPool({ ...config, max: maxReaders });
    return { place: `${host}:${port}`, config, readers, writers: newPool({ ...config, max: 4 }) };
  }

  /** The driver only ends connections politely; with sockets of our own, dead ones can be dropped. */
  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

const maxReaders = 8;
const goodbyeMs = 1000;

/** One lent connection. */
export class Connection implements AsyncDisposable {
  readonly #client: pg.PoolClient;
  readonly #place: string;
  readonly #onFailure: (thrown: unknown) => void;
  #isBroken = false;
  #isInTransaction = false;

  constructor(client: pg.PoolClient, place: string, onFailure: (thrown: unknown) => void) {
    this.#client = client;
    this.#place = place;
    this.#onFailure = onFailure;
    client.on('error', this.#onError);
  }

  /** Runs a statement; errors are converted. */
  async run<T>(statement: Statement | string, values: readonly unknown[] = []): Promise<T[]> {
    try {
      return await this.runRaw<T>(statement, values);
    } catch (thrown) {
      throw postgresError(thrown, this.#place);
    }
  }

  /** Runs a statement; errors are the driver's, for those who look closer. */
  async runRaw<T>(statement: Statement | string, values: readonly unknown[]): Promise<T[]> {
    const config = typeof statement === 'string' ? { text: statement } : statement;
    try {
      const { rows, command } = await this.#client.query({ ...config, values: [...values] });
      this.#isInTransaction =
        command === 'BEGIN' || (this.#isInTransaction && !['COMMIT', 'ROLLBACK'].includes(command));
      return rows as T[];
    } catch (thrown) {
      this.#isBroken = true;
      this.#onFailure(thrown);
      throw thrown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A failure on our side left a transaction open on a good connection.
    if (this.#isInTransaction && !this.#isBroken) await this.runRaw('ROLLBACK', []).catch(() => {});
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken);
  }

  readonly #onError = (): void => {
    this.#isBroken = true;
  };
}

function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, idleTimeoutMillis: 60_000 });
  // A connection that dies is dropped by the pool; without listeners it would end the process. The pool listens to idle
  // ones, but one may die before its borrower can listen.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}

function clientConfig(url: string, schema: string, timeoutMs: number): pg.ClientConfig {
  const own = Object.entries({ search_path: schema, ...plannerSettings }).map(([name, value]) => `-c ${name}=${value}`);
  const { connectionString, options } = splitOptions(url);
  return {
    connectionString,
    application_name: 'chandlery',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(timeoutMs, 5000),
    // The server gives up first and reports it; the client's own limit is for servers that do not respond.
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + 1000,
    options: [...options, ...own].join(' '),
    types: { getTypeParser },
  };
}

/** The driver lets a URL's options replace ours, which must hold whatever the URL says. */
function splitOptions(url: string): { connectionString: string; options: string[] } {
  if (!URL.canParse(url)) return { connectionString: url, options: [] };
  const parsed = new URL(url);
  const options = parsed.searchParams.getAll('options');
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options };
}

/**
 * Every statement of ours is made for an index and looks at few rows. A planner with stale statistics must not think
 * otherwise, and thinking costs more than the work.
 */
const plannerSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  default_transaction_isolation: 'read\\ committed',
};

const int8 = 20;
const int8Array = 1016;

/** Revisions and terms fit into JavaScript's integers, so they need not be texts. */
const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: 'text' | 'binary'): unknown => {
  if (type === int8) return Number;
  if (type === int8Array) return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
  return pg.types.getTypeParser(type, format) as unknown;
};
