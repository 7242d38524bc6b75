import { type AddressPolicy, type Clock, type Logger, systemClock, type Tracer } from '@chandlery/platform';
import { type InternalBroker, parseInternalName } from '../../kinds/index.ts';
import { type AddressSettings, brokerAddressPolicy } from '../../model/catalog/address-policy.ts';
import { withoutUndefined } from '../../model/json.ts';
import type { BrokerRow, Registry } from '../../model/rows.ts';
import type { BrokerConnection, BrokerConnections, BrokerTarget, OsbCallMetrics } from '../../ports.ts';
import { internalConnection } from '../internal-broker/internal-connection.ts';
import { brokerUnreachable } from './broker-failures.ts';
import type { OwnCertificate } from './open-pool.ts';
import { PooledConnection, type PooledConnectionOptions } from './pooled-connection.ts';
import { RegisteredConnection } from './registered-connection.ts';

export interface BrokerConnectionsOptions {
  readonly registry: Pick<Registry, 'readSecret'> & { readonly brokers: Pick<Registry['brokers'], 'listen'> };
  /** What other domains offer, by the name that `spec.internal` says. May grow. */
  readonly internalBrokers: ReadonlyMap<string, InternalBroker>;
  /** The certificate of the service manager, and where brokers may be. */
  readonly settings: OwnCertificate & AddressSettings;
  readonly logger: Logger;
  /** Measures the calls to registered brokers. Default: nothing is measured. */
  readonly metrics?: OsbCallMetrics | undefined;
  /** Records the calls to registered brokers that are part of a trace. Default: nothing. */
  readonly tracer?: Tracer | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Talks to brokers over HTTP, each over connections of its own, and to internal ones directly. */
export function createBrokerConnections(options: BrokerConnectionsOptions): BrokerConnections {
  return new HttpBrokerConnections(options);
}

class HttpBrokerConnections implements BrokerConnections {
  readonly #options: BrokerConnectionsOptions;
  readonly #addresses: AddressPolicy;
  readonly #connections = new Map<string, RegisteredConnection>();
  readonly #open = new Set<PooledConnection>();
  readonly #unlisten: () => void;

  constructor(options: BrokerConnectionsOptions) {
    this.#options = options;
    this.#addresses = brokerAddressPolicy(options.settings);
    this.#unlisten = options.registry.brokers.listen(({ type, row, previous }) => {
      const name = nameOf(row);
      if (previous !== undefined && nameOf(previous) !== name) options.metrics?.forget(nameOf(previous));
      if (type !== 'removed') return;
      options.metrics?.forget(name);
      this.#connections.get(row.id)?.retire(name);
      this.#connections.delete(row.id);
    });
  }

  of(broker: BrokerRow): Promise<BrokerConnection> {
    const { internal, name = broker.id } = broker.spec;
    if (internal !== undefined) return this.#internalConnection(internal, name);
    return (this.#connections.get(broker.id) ?? this.#newConnection(broker.id)).of(broker);
  }

  tryOut(target: BrokerTarget): BrokerConnection & AsyncDisposable {
    const { internal } = target.spec;
    if (internal === undefined) return this.#connect(target, {});
    return {
      call: async (request, options) => (await this.#internalConnection(internal, target.name)).call(request, options),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten();
    await Promise.all([...this.#open].map(connection => connection[Symbol.asyncDispose]()));
  }

  #newConnection(id: string): RegisteredConnection {
    const { registry, metrics } = this.#options;
    const connection = new RegisteredConnection({
      readSecret: (tenant, name) => registry.readSecret(tenant, name),
      connect: (target, onUnauthorized) =>
        this.#connect(target, withoutUndefined({ onUnauthorized, observe: metrics?.observerOf(target.name) })),
    });
    this.#connections.set(id, connection);
    return connection;
  }

  #connect(target: BrokerTarget, hooks: Pick<PooledConnectionOptions, 'onUnauthorized' | 'observe'>): PooledConnection {
    const { settings, logger, tracer, clock = systemClock } = this.#options;
    const connection = new PooledConnection({
      target,
      own: settings,
      addresses: this.#addresses,
      logger,
      tracer,
      clock,
      onClosed: () => this.#open.delete(connection),
      ...hooks,
    });
    this.#open.add(connection);
    return connection;
  }

  async #internalConnection(internal: string, name: string): Promise<BrokerConnection> {
    const { source, tenant } = parseInternalName(internal);
    const broker = this.#options.internalBrokers.get(source);
    if (broker === undefined) throw brokerUnreachable(name, `this landscape has no offering source "${source}"`);
    return internalConnection(broker, tenant);
  }
}

const nameOf = ({ id, spec }: Pick<BrokerRow, 'id' | 'spec'>): string => spec.name ?? id;
