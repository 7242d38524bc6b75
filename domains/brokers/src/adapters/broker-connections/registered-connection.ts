import { createHash } from 'node:crypto';
import { credentialsOf } from '../../model/catalog/broker-secret.ts';
import type { BrokerRow, Registry } from '../../model/rows.ts';
import type { BrokerConnection, BrokerTarget } from '../../ports.ts';
import { brokerUnreachable } from './broker-failures.ts';
import type { PooledConnection } from './pooled-connection.ts';

export interface RegisteredConnectionOptions {
  readonly readSecret: Registry['readSecret'];
  /** Makes a connection; calls back when the broker did not believe the credentials. */
  readonly connect: (target: BrokerTarget, onUnauthorized: () => void) => PooledConnection;
}

const none: Promise<BrokerConnection> = Promise.resolve({ call: () => Promise.reject(new Error('never called')) });

/** The connection to one registered broker through all changes of its row and its Secret. */
export class RegisteredConnection {
  readonly #options: RegisteredConnectionOptions;
  /** The newest row that was resolved; undefined when the next call must resolve again. */
  #row: BrokerRow | undefined;
  /** What the look has shown, or will. Looks come one after another. */
  #resolved = none;
  #current: { readonly connection: PooledConnection; readonly fingerprint: string } | undefined;

  constructor(options: RegisteredConnectionOptions) {
    this.#options = options;
  }

  of(row: BrokerRow): Promise<BrokerConnection> {
    // A reader that is behind must not bring old credentials back.
    if (this.#row !== undefined && row.revision <= this.#row.revision) return this.#resolved;
    this.#row = row;
    const resolve = () => this.#resolve(row);
    const resolved = this.#resolved.then(resolve, resolve);
    this.#resolved = resolved;
    resolved.catch(() => this.#invalidate());
    return resolved;
  }

  /** The broker was removed: calls in progress may end. */
  retire(name: string): void {
    const gone = brokerUnreachable(name, 'it is not registered any more');
    this.#current?.connection.retire({ call: () => Promise.reject(gone) });
  }

  async #resolve(row: BrokerRow): Promise<BrokerConnection> {
    const { credentialsSecret } = row.spec;
    const { readSecret } = this.#options;
    const secret = credentialsSecret === undefined ? undefined : await readSecret(row.tenant, credentialsSecret);
    const target = targetOf(row, secret);
    const fingerprint = fingerprintOf(target);
    if (this.#current?.fingerprint === fingerprint) return this.#current.connection;
    const connection = this.#options.connect(target, () => this.#invalidate());
    this.#current?.connection.retire(connection);
    this.#current = { connection, fingerprint };
    return connection;
  }

  /** The Secret may have changed without the row. */
  #invalidate(): void {
    this.#row = undefined;
  }
}

/** The target of a registered broker, from its row and its Secret. */
const targetOf = ({ id, spec }: BrokerRow, secret: Readonly<Record<string, string>> | undefined): BrokerTarget => ({
  name: spec.name ?? id,
  spec,
  credentials: credentialsOf(secret),
});

/** Changes when the connections must be replaced: not after a catalog fetch or a change of labels. */
function fingerprintOf({ name, spec, credentials }: BrokerTarget): string {
  const { url, internal, caBundle, insecureSkipVerify, useServerCertificate, limits } = spec;
  const parts = [name, url, internal, caBundle, insecureSkipVerify, useServerCertificate, limits, credentials];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
