import type { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';
import { type Informer, systemTimers, type Timers } from '@chandlery/runtime';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { endpointsOfSet, expiryMs, isExpired } from '../../model/endpoints/endpoint-set-state.ts';
import { type ServiceKey, serviceKey } from '../../model/service-name.ts';
import type { EndpointsProvider } from '../../ports/endpoints.ts';
import { ApiLink, type LinkTuning } from '../api-link.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';
import { MicrotaskBatch } from '../microtask-batch.ts';

export interface EndpointSetEndpointsOptions {
  /** Client of the cluster of the sets. Not disposed of. */
  readonly client: Client;
  /** The cluster of the sets, which has their service accounts. Default: unknown. */
  readonly cluster?: string;
  /** Unique id of the provider. Default `endpoint-sets`. */
  readonly id?: string;
  /** Called with errors, which are retried. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
  readonly tuning?: LinkTuning;
  /** Judges leases. Default: that of the machine. */
  readonly clock?: Clock;
  /** Default: those of the process. */
  readonly timers?: Timers;
}

/**
 * Provides the endpoints that inventories maintain as EndpointSets, those of the clouds included. The sets are stored,
 * so that the last known endpoints are there from the start, also while an inventory is not reachable.
 */
export function createEndpointSetEndpoints(options: EndpointSetEndpointsOptions): EndpointsProvider {
  const { id = 'endpoint-sets', onError } = options;
  const link = new ApiLink({ ...options, name: 'the mesh' });
  const table = new EndpointTable(onError);
  const reader = new EndpointSetReader(options, link, table);
  return createTableProvider({
    id,
    table,
    ready: reader.ready,
    staleReason: () => link.staleReason ?? reader.staleReason,
    async end() {
      reader[Symbol.dispose]();
      await link[Symbol.asyncDispose]();
    },
  });
}

const serviceIndex = 'service';

const serviceOf = ({ metadata, spec }: EndpointSet): ServiceKey =>
  serviceKey({ namespace: metadata.namespace ?? '', name: spec.service });

const keyOf = ({ metadata }: EndpointSet): string => `${metadata.namespace}/${metadata.name}`;

class EndpointSetReader implements Disposable {
  readonly ready: Promise<void>;
  readonly #options: EndpointSetEndpointsOptions;
  readonly #sets: Informer<EndpointSet>;
  readonly #table: EndpointTable;
  readonly #changed = new MicrotaskBatch(services => this.#update(services));
  /** Cancel the timers of leases, by set. */
  readonly #expiries = new Map<string, () => void>();
  readonly #stale = new Map<string, string>();
  #isComplete = false;

  constructor(options: EndpointSetEndpointsOptions, link: ApiLink, table: EndpointTable) {
    this.#options = options;
    this.#table = table;
    this.#sets = link.watch<EndpointSet>({
      ref: endpointSets.ref,
      indexes: { [serviceIndex]: set => [serviceOf(set)] },
      transform: withoutBookkeeping,
    });
    this.#sets.listen({
      added: set => this.#put(set),
      updated: (set, before) => {
        this.#changed.add(serviceOf(before));
        this.#put(set);
      },
      deleted: set => this.#remove(set),
    });
    this.ready = this.#sets.synced.then(() => {
      this.#isComplete = true;
      this.#update(new Set(this.#sets.list().map(serviceOf)));
    });
  }

  get staleReason(): string | undefined {
    const [reason] = this.#stale.values();
    return reason;
  }

  [Symbol.dispose](): void {
    for (const cancel of this.#expiries.values()) cancel();
    this.#expiries.clear();
  }

  #put(set: EndpointSet): void {
    this.#remove(set);
    const { stale } = set.spec;
    if (stale !== undefined) this.#stale.set(keyOf(set), `${keyOf(set)}: ${stale.reason} (since ${stale.since})`);
    if (Number.isFinite(expiryMs(set))) this.#awaitExpiry(set);
  }

  #remove(set: EndpointSet): void {
    this.#changed.add(serviceOf(set));
    this.#stale.delete(keyOf(set));
    this.#expiries.get(keyOf(set))?.();
    this.#expiries.delete(keyOf(set));
  }

  /** Calls again when a timer cannot be set for so long, or the clock was set back. */
  #awaitExpiry(set: EndpointSet): void {
    const leftMs = expiryMs(set) - this.#nowMs;
    if (leftMs <= 0) return;
    const { timers = systemTimers } = this.#options;
    const expire = (): void => {
      this.#changed.add(serviceOf(set));
      this.#awaitExpiry(set);
    };
    this.#expiries.set(keyOf(set), timers.after(leftMs, expire));
  }

  #update(services: ReadonlySet<ServiceKey>): void {
    if (this.#isComplete) this.#table.replace([...services].map(service => [service, this.#endpointsOf(service)]));
  }

  #endpointsOf(service: ServiceKey): readonly Endpoint[] {
    const valid = this.#sets.byIndex(serviceIndex, service).filter(set => !isExpired(set, this.#nowMs));
    return valid.flatMap(set => endpointsOfSet(set, this.#options.cluster));
  }

  get #nowMs(): number {
    return (this.#options.clock ?? systemClock).now().getTime();
  }
}

function withoutBookkeeping(set: EndpointSet): EndpointSet {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = set.metadata;
  const { apiVersion, kind, spec } = set;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, spec };
}
