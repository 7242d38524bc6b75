import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isConnectionLost, postgresError } from './postgres-failure.ts';

export interface DatabaseOptions {
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

/** Connections to the server: some for reads, and a few of their own for writes, which must not wait behind reads. */
export class Database implements AsyncDisposable {
  /** Host and port, for messages. */
  readonly place: string;
  readonly schema: string;
  readonly #config: pg.ClientConfig;
  readonly #sockets = new Set<Socket>();
  readonly #readers: pg.Pool;
  readonly #writers: pg.Pool;

  constructor({ url, schema, timeoutMs }: DatabaseOptions) {
    this.schema = schema;
    this.#config = { ...clientConfig(url, schema, timeoutMs), stream: () => this.#newSocket() };
    const { host, port } = new pg.Client({ connectionString: url });
    this.place = `${host}:${port}`;
    this.#readers = newPool({ ...this.#config, max: mostReaders });
    this.#writers = newPool({ ...this.#config, max: 4 });
  }

  /** Runs one statement that may be repeated: connections that turn out to be dead are replaced. Default timeout: the database's. */
  async read<T>(statement: Statement, values: readonly unknown[] = [], timeoutMs?: number): Promise<T[]> {
    const query = { ...statement, values: [...values], ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }) };
    for (let deadConnections = 0; ; deadConnections++) {
      try {
        const { rows } = await this.#readers.query(query);
        return rows as T[];
      } catch (thrown) {
        // All that the pool has may have died at once.
        if (!isConnectionLost(thrown) || deadConnections === mostReaders) throw postgresError(thrown, this.place);
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
    try {
      const pool = purpose === 'read' ? this.#readers : this.#writers;
      return new Connection(await pool.connect(), this.place);
    } catch (thrown) {
      throw postgresError(thrown, this.place);
    }
  }

  /** A connection outside the pools, for listening. */
  newClient(): pg.Client {
    return new pg.Client(this.#config);
  }

  /** Says goodbye, but does not wait long for a server that does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = Promise.all([this.#readers.end(), this.#writers.end()]);
    const isOver = new AbortController();
    await Promise.race([ended, sleep(goodbyeMs, undefined, { signal: isOver.signal }).catch(() => {})]);
    isOver.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The driver only ends connections politely; with sockets of our own, dead ones can be dropped. */
  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

const mostReaders = 8;
const goodbyeMs = 1000;

/** One lent connection. */
export class Connection implements AsyncDisposable {
  readonly #client: pg.PoolClient;
  readonly #place: string;
  #isBroken = false;
  #isInTransaction = false;

  constructor(client: pg.PoolClient, place: string) {
    this.#client = client;
    this.#place = place;
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
  // ones, but one may die before whoever it was lent to can listen.
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
    // The server gives up first and says so; the client's own limit is for servers that have gone silent.
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
