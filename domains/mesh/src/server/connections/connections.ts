import { ChandleryError } from '@chandlery/api';
import type { Clock } from '@chandlery/platform';
import { Connection, type SecuredSocket } from './connection.ts';

export interface ConnectionsOptions {
  /** Maximum number of connections that have calls. 0: unlimited. */
  readonly maxConnections: number;
  /** How long calls may continue after the client certificate has expired. */
  readonly expiryGraceMs: number;
  readonly clock: Clock;
}

/** The connected clients. */
export class Connections implements Iterable<Connection> {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #bySocket = new WeakMap<object, Connection>();
  readonly #admitted = new Set<Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#open.values();
  }

  add(secured: SecuredSocket): Connection {
    const { socket } = secured;
    const connection = new Connection(secured, this.#options.clock.now());
    this.#open.add(connection);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => this.#remove(connection));
    return connection;
  }

  /** Returns the connection of a request. Throws `Unauthenticated` for an unknown socket. */
  bySocket(socket: object): Connection {
    return this.#bySocket.get(socket) ?? unknownConnection();
  }

  /** Counts a connection against the limit until it closes. Throws `OverCapacity` when the limit is reached. */
  admit(connection: Connection): void {
    const { maxConnections } = this.#options;
    if (this.#admitted.has(connection)) return;
    if (maxConnections > 0 && this.#admitted.size >= maxConnections) {
      throw new ChandleryError('OverCapacity', `this replica serves ${maxConnections} clients and has no place left`, {
        hint: 'Connect to another replica',
      });
    }
    this.#admitted.add(connection);
  }

  /** Ends the calls of clients whose certificates have expired; clients with a renewed certificate reconnect. */
  endExpired(): void {
    const now = this.#options.clock.now().getTime();
    for (const connection of this.#open) {
      const { notAfter, calls } = connection;
      if (!notAfter || now <= notAfter.getTime() + this.#options.expiryGraceMs) continue;
      for (const call of calls) call.end(expired(notAfter));
    }
  }

  endAll(error: ChandleryError): void {
    for (const { calls } of this.#open) for (const call of calls) call.end(error);
  }

  #remove(connection: Connection): void {
    this.#admitted.delete(connection);
    this.#open.delete(connection);
  }
}

const expired = (notAfter: Date): ChandleryError =>
  new ChandleryError('Unauthenticated', `your certificate expired at ${notAfter.toISOString()}`, {
    hint: 'Renew it and connect again',
  });

function unknownConnection(): never {
  throw new ChandleryError('Unauthenticated', 'the connection is closed');
}
