import type { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Informer } from '@chandlery/runtime';
import type { Endpoint } from '../../model/endpoint.ts';
import type { ServiceKey } from '../../model/service-name.ts';
import type { EndpointsProvider } from '../../ports/endpoints.ts';
import { ApiLink, type LinkTuning } from '../api-link.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';
import { MicrotaskBatch } from '../microtask-batch.ts';
import { ClusterMetadata } from './cluster-metadata.ts';
import { type CompactSlice, compactSlice, type SliceAddress } from './compact-slice.ts';

export interface KubernetesEndpointsOptions {
  /** Client of the cluster. Not disposed of. */
  readonly client: Client;
  /** Its name in the mesh. */
  readonly cluster: string;
  /** Region of the cluster. Default: unknown. */
  readonly region?: string;
  /** Whether zones that slices do not name are read from nodes, which are then watched too. Default false. */
  readonly hasNodeZones?: boolean;
  /** Called with errors, which are retried. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
  readonly tuning?: LinkTuning;
}

/** The endpoints in one Kubernetes cluster. */
export interface KubernetesEndpoints extends EndpointsProvider {
  /** Slices (`namespace/name`) of which parts are ignored, and why. */
  readonly ignored: ReadonlyMap<string, string>;
}

const slicesRef = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' };
const serviceIndex = 'service';

/**
 * Provides the endpoints of the EndpointSlices of a cluster. The cost of a change is proportional to the size of its
 * service.
 */
export function createKubernetesEndpoints(options: KubernetesEndpointsOptions): KubernetesEndpoints {
  const { cluster } = options;
  const link = new ApiLink({ ...options, name: `cluster "${cluster}"` });
  const table = new EndpointTable(options.onError);
  const reader = new SliceReader(options, link, table);
  const provider = createTableProvider({
    id: `kubernetes/${cluster}`,
    table,
    ready: reader.ready,
    staleReason: () => link.staleReason,
    end: () => link[Symbol.asyncDispose](),
  });
  return Object.assign(provider, { ignored: reader.ignored });
}

/** Derives endpoints from slices. */
class SliceReader {
  readonly ignored = new Map<string, string>();
  readonly ready: Promise<void>;
  readonly #options: KubernetesEndpointsOptions;
  readonly #table: EndpointTable;
  readonly #slices: Informer<CompactSlice>;
  readonly #facts: ClusterMetadata;
  readonly #waiting = new WaitingServices();
  readonly #changed = new MicrotaskBatch(services => this.#update(services));
  #isComplete = false;

  constructor(options: KubernetesEndpointsOptions, link: ApiLink, table: EndpointTable) {
    this.#options = options;
    this.#table = table;
    this.#facts = new ClusterMetadata(link, options.hasNodeZones ?? false, reference => this.#noteKnown(reference));
    this.#slices = link.watch<CompactSlice>({
      ref: slicesRef,
      indexes: { [serviceIndex]: ({ service }) => (service === undefined ? [] : [service]) },
      transform: compactSlice,
    });
    this.#slices.listen({
      added: slice => this.#noteSlice(slice, slice.ignored),
      updated: (slice, before) => {
        this.#noteSlice(before, undefined);
        this.#noteSlice(slice, slice.ignored);
      },
      deleted: slice => this.#noteSlice(slice, undefined),
    });
    this.ready = this.#readAll();
  }

  /** Waits for the pods too: without them, the accounts behind a service would be unknown. */
  async #readAll(): Promise<void> {
    await Promise.all([this.#slices.synced, this.#facts.synced]);
    this.#isComplete = true;
    this.#update(new Set(this.#slices.list().flatMap(({ service }) => service ?? [])));
  }

  #noteSlice({ service, metadata }: CompactSlice, ignored: string | undefined): void {
    const key = `${metadata.namespace}/${metadata.name}`;
    if (ignored === undefined) this.ignored.delete(key);
    else this.ignored.set(key, ignored);
    if (service !== undefined && this.#isComplete) this.#changed.add(service);
  }

  #noteKnown(reference: string): void {
    if (this.#isComplete) for (const service of this.#waiting.of(reference)) this.#changed.add(service);
  }

  #update(services: ReadonlySet<ServiceKey>): void {
    this.#table.replace([...services].map(service => [service, this.#endpointsOf(service)] as const));
  }

  #endpointsOf(service: ServiceKey): readonly Endpoint[] {
    const awaited: string[] = [];
    const endpoints = this.#slices
      .byIndex(serviceIndex, service)
      .flatMap(slice => slice.addresses.flatMap(address => this.#endpointsAt(slice, address, awaited)));
    this.#waiting.set(service, awaited);
    return endpoints;
  }

  #endpointsAt({ metadata, servedPorts }: CompactSlice, address: SliceAddress, awaited: string[]): Endpoint[] {
    const facts = this.#facts.of(metadata.namespace ?? '', address);
    awaited.push(...facts.awaited);
    const { cluster, region } = this.#options;
    const where = { cluster, ...(region && { region }), ...(facts.zone && { zone: facts.zone }) };
    const who = {
      ...(facts.serviceAccount && { serviceAccount: facts.serviceAccount }),
      ...(address.pod && { source: `pod ${address.pod.name}` }),
    };
    const { ip, health } = address;
    return servedPorts.map(({ name, port }) => ({ ip, port, portName: name, health, ...where, ...who }));
  }
}

/** Services with references that are not in the cache yet. */
class WaitingServices {
  readonly #services = new Map<string, Set<ServiceKey>>();
  readonly #awaited = new Map<ServiceKey, readonly string[]>();

  /** Replaces the missing references of a service. */
  set(service: ServiceKey, awaited: readonly string[]): void {
    for (const reference of this.#awaited.get(service) ?? []) this.#leave(reference, service);
    if (awaited.length === 0) {
      this.#awaited.delete(service);
      return;
    }
    this.#awaited.set(service, awaited);
    for (const reference of awaited) {
      const services = this.#services.get(reference) ?? new Set();
      this.#services.set(reference, services.add(service));
    }
  }

  /** The services that wait for a reference. */
  of(reference: string): Iterable<ServiceKey> {
    return this.#services.get(reference) ?? [];
  }

  #leave(reference: string, service: ServiceKey): void {
    const services = this.#services.get(reference);
    services?.delete(service);
    if (services?.size === 0) this.#services.delete(reference);
  }
}
