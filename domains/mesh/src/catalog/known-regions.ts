import type { Endpoint } from '../model/endpoint.ts';
import type { ServiceKey } from '../model/service-name.ts';

/**
 * The regions of a mesh: those of its clusters, and those of its endpoints. A region that a proxy claims is accepted
 * only if it is one of them: each region has views of its own, and a proxy could claim any number of regions.
 */
export class KnownRegions {
  readonly #ofClusters: ReadonlySet<string>;
  /** Number of services with endpoints in a region. */
  readonly #services = new Map<string, number>();
  readonly #byService = new Map<ServiceKey, ReadonlySet<string>>();

  constructor(clusters: readonly { readonly region?: string }[]) {
    this.#ofClusters = new Set(clusters.flatMap(({ region }) => region ?? []));
  }

  has(region: string): boolean {
    return this.#ofClusters.has(region) || this.#services.has(region);
  }

  /** To be called with the endpoints of a service whenever they have changed. */
  note(service: ServiceKey, endpoints: Iterable<Endpoint>): void {
    const before = this.#byService.get(service) ?? new Set();
    const after = new Set<string>();
    for (const { region } of endpoints) if (region) after.add(region);
    if (after.size === 0) this.#byService.delete(service);
    else this.#byService.set(service, after);
    for (const region of after.difference(before)) this.#count(region, 1);
    for (const region of before.difference(after)) this.#count(region, -1);
  }

  #count(region: string, change: 1 | -1): void {
    const services = (this.#services.get(region) ?? 0) + change;
    if (services === 0) this.#services.delete(region);
    else this.#services.set(region, services);
  }
}
