import type { Endpoint } from '../model/endpoint.ts';
import type { ServiceKey } from '../model/service-name.ts';

/**
 * The regions that a mesh knows: those of its clusters, and those where its services run. What a proxy says of itself is
 * believed only then: views are made by region, and regions can be made up without end.
 */
export class KnownRegions {
  readonly #ofClusters: ReadonlySet<string>;
  /** How many services run there. */
  readonly #services = new Map<string, number>();
  readonly #byService = new Map<ServiceKey, ReadonlySet<string>>();

  constructor(clusters: readonly { readonly region?: string }[]) {
    this.#ofClusters = new Set(clusters.flatMap(({ region }) => region ?? []));
  }

  has(region: string): boolean {
    return this.#ofClusters.has(region) || this.#services.has(region);
  }

  /** To be called with the endpoints of a service whenever they are others. */
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
