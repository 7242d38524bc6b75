import type { BrokerRow, Registry } from '../../model/rows.ts';
import type { BrokerConnection, BrokerTarget } from '../../ports.ts';
import { brokerUnreachable } from './broker-failures.ts';
import { fingerprintOf, targetOf } from './broker-target.ts';
import type { PooledConnection } from './pooled-connection.ts';

export interface BrokerLineOptions {
  readonly readSecret: Registry['readSecret'];
  /** Makes a connection; calls back when the broker did not believe the credentials. */
  readonly connect: (target: BrokerTarget, onUnauthorized: () => void) => PooledConnection;
}

const none: Promise<BrokerConnection> = Promise.resolve({ call: () => Promise.reject(new Error('never called')) });

/** The connection to one registered broker through all changes of its row and its Secret. */
export class BrokerLine {
  readonly #options: BrokerLineOptions;
  /** The newest row that was looked at; undefined when it must be looked at again. */
  #row: BrokerRow | undefined;
  /** What the look has shown, or will. Looks come one after another. */
  #looked = none;
  #current: { readonly connection: PooledConnection; readonly fingerprint: string } | undefined;

  constructor(options: BrokerLineOptions) {
    this.#options = options;
  }

  of(row: BrokerRow): Promise<BrokerConnection> {
    // A reader that is behind must not bring old credentials back.
    if (this.#row !== undefined && row.revision <= this.#row.revision) return this.#looked;
    this.#row = row;
    const look = () => this.#look(row);
    const looked = this.#looked.then(look, look);
    this.#looked = looked;
    looked.catch(() => this.#lookAgain());
    return looked;
  }

  /** The broker is gone: calls under way may end. */
  retire(name: string): void {
    const gone = brokerUnreachable(name, 'it is not registered any more');
    this.#current?.connection.retire({ call: () => Promise.reject(gone) });
  }

  async #look(row: BrokerRow): Promise<BrokerConnection> {
    const { credentialsSecret } = row.spec;
    const { readSecret } = this.#options;
    const secret = credentialsSecret === undefined ? undefined : await readSecret(row.tenant, credentialsSecret);
    const target = targetOf(row, secret);
    const fingerprint = fingerprintOf(target);
    if (this.#current?.fingerprint === fingerprint) return this.#current.connection;
    const connection = this.#options.connect(target, () => this.#lookAgain());
    this.#current?.connection.retire(connection);
    this.#current = { connection, fingerprint };
    return connection;
  }

  /** The Secret may have changed without the row. */
  #lookAgain(): void {
    this.#row = undefined;
  }
}
