import { ChandleryError } from '@chandlery/api';
import type { Clock } from '@chandlery/platform';
import { Connection, type SecuredSocket } from './connection.ts';

export interface ConnectionsOptions {
  /** How many connections may have calls at the same time. 0: as many as come. */
  readonly maxConnections: number;
  /** How long a call may go on after its client's certificate has expired. */
  readonly expiryGraceMs: number;
  readonly clock: Clock;
}

/** The clients that are connected. */
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

  /** The connection of a request, by its socket. Throws `Unauthenticated` when it is none of ours. */
  bySocket(socket: object): Connection {
    return this.#bySocket.get(socket) ?? gone();
  }

  /** Takes a place for a connection until it closes. Throws `OverCapacity` when all are taken. */
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

  /** Ends the calls of clients whose certificates have expired: those that renewed theirs connect again. */
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

function gone(): never {
  throw new ChandleryError('Unauthenticated', 'the connection is gone');
}
