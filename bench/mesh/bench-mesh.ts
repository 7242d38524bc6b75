import { TestDirectory } from '../../domains/mesh/src/catalog/test-directory.ts';
import { TestEndpoints } from '../../domains/mesh/src/catalog/test-endpoints.ts';
import { TestTopology } from '../../domains/mesh/src/catalog/test-topology.ts';
import type { Endpoint } from '../../domains/mesh/src/model/endpoint.ts';
import { clusterName } from '../../domains/mesh/src/model/resource-names.ts';
import type { Change, MeshShape } from './jobs.ts';

/** Tenant, cluster and region of this mesh. */
export const place = { tenant: 'acme', cluster: 'eu-1', region: 'eu', namespace: 'shop' } as const;

/** The accounts of the clients: each has a view of its own. */
export const clientAccounts: readonly string[] = Array.from({ length: 20 }, (_, index) => `client-${index}`);

/** Cluster name of a service. */
export const clusterOf = (service: string): string =>
  clusterName({ tenant: place.tenant, service: { namespace: place.namespace, name: service }, port: 80 });

/** The name of a service without subscribers. */
export const otherService = (index: number): string => `other-${index}`;

const keyOf = (service: string): string => `${place.namespace}/${service}`;
const zones = ['eu-a', 'eu-b', 'eu-c'];
const lastByteOf = (number: number): number => number % 256;
const ipOf = (number: number): string =>
  `10.${lastByteOf(number >> 16)}.${lastByteOf(number >> 8)}.${lastByteOf(number)}`;
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A mesh in memory. A policy for each service allows all clients. */
export class BenchMesh {
  readonly topology = new TestTopology();
  readonly services = new TestDirectory();
  readonly endpoints = new TestEndpoints(place.cluster);
  readonly #known = new Map<string, readonly Endpoint[]>();
  readonly #secondPorts = new Map<string, number>();
  #addresses = 0;

  constructor({ services, others = { services: 0, endpointsEach: 0 } }: MeshShape) {
    for (const [service, count] of Object.entries(services)) this.#add(service, count);
    for (let index = 0; index < others.services; index++) this.#add(otherService(index), others.endpointsEach);
  }

  /** Prepares a change; the returned function applies it. */
  prepare({ what, service }: Change): () => void {
    const key = keyOf(service);
    if (what === 'port') {
      const port = this.#secondPorts.get(service) === 81 ? 82 : 81;
      this.#secondPorts.set(service, port);
      return () => this.services.declare(key, 80, port);
    }
    const [, ...others] = this.#known.get(service) ?? [];
    const endpoints = [...others, this.#newEndpoint(service)].sort((a, b) => compareText(a.ip, b.ip));
    this.#known.set(service, endpoints);
    return () => this.endpoints.set(key, endpoints);
  }

  #add(service: string, count: number): void {
    const endpoints = Array.from({ length: count }, () => this.#newEndpoint(service));
    endpoints.sort((a, b) => compareText(a.ip, b.ip));
    this.#known.set(service, endpoints);
    this.services.declare(keyOf(service), 80);
    this.topology.allow(keyOf(service), ...clientAccounts.map(keyOf));
    this.endpoints.set(keyOf(service), endpoints);
  }

  #newEndpoint(serviceAccount: string): Endpoint {
    const index = this.#addresses++;
    const { cluster, region } = place;
    const where = { cluster, region, zone: zones[index % zones.length] ?? '' };
    return { ip: ipOf(index), port: 8080, portName: '', health: 'healthy', ...where, serviceAccount };
  }
}
