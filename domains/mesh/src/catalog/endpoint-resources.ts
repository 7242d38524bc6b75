import type { Endpoint } from '../model/endpoint.ts';
import { groupByLocality } from '../model/endpoints/group-by-locality.ts';
import type { Viewpoint } from '../model/endpoints/level-of.ts';
import { splitEndpoints } from '../model/endpoints/split-endpoints.ts';
import type { LocalityGroup } from '../model/locality-group.ts';
import type { ServicePort } from '../model/mesh-service.ts';
import type { OutboundService } from '../model/proxy-scope.ts';
import type { EncodedResource } from '../model/resource.ts';
import { clusterName } from '../model/resource-names.ts';
import { type ServiceKey, type ServiceName, serviceKey } from '../model/service-name.ts';
import type { WeightedService } from '../model/topology.ts';
import { viewpointKey } from './viewpoint-of.ts';

export interface EndpointResourcesOptions {
  readonly tenant: string;
  readonly endpointsOf: (service: ServiceKey) => readonly Endpoint[];
  readonly encode: (name: string, groups: readonly LocalityGroup[]) => EncodedResource;
  /** The port of a backend with this number; undefined when it has none. */
  readonly portOf: (service: ServiceName, port: number) => ServicePort | undefined;
}

/** Cache of encoded endpoint lists, shared by all proxies in the same place. */
export class EndpointResources {
  readonly #options: EndpointResourcesOptions;
  readonly #made = new Map<ServiceKey, Map<string, EncodedResource>>();

  constructor(options: EndpointResourcesOptions) {
    this.#options = options;
  }

  /** To be called when the endpoints of the service, or of a backend of its split, have changed. */
  forget(service: ServiceKey): void {
    this.#made.delete(service);
  }

  get(outbound: OutboundService, port: ServicePort, from: Viewpoint): EncodedResource {
    const key = serviceKey(outbound.service);
    const { split } = outbound;
    // Clients that use routes are split by these; clients that subscribe to endpoints only get the split here.
    const backends = split !== undefined && split.matches === undefined ? split.backends : undefined;
    const division = backends?.map(({ service, weight }) => `${serviceKey(service)}=${weight}`).join() ?? '';
    const variant = `${port.port} ${viewpointKey(from)} ${division}`;
    const known = this.#made.get(key) ?? new Map<string, EncodedResource>();
    this.#made.set(key, known);
    let made = known.get(variant);
    if (made === undefined) {
      made = this.#make(outbound.service, port, from, backends);
      known.set(variant, made);
    }
    return made;
  }

  #make(
    service: ServiceName,
    port: ServicePort,
    from: Viewpoint,
    backends: readonly WeightedService[] | undefined,
  ): EncodedResource {
    const { tenant, encode } = this.#options;
    const groups =
      backends === undefined
        ? groupByLocality(this.#serving(service, port), from)
        : splitEndpoints(this.#backendsWithEndpoints(backends, port), from);
    return encode(clusterName({ tenant, service, port: port.port }), groups);
  }

  #backendsWithEndpoints(backends: readonly WeightedService[], port: ServicePort) {
    return backends.map(({ service, weight }) => {
      const own = this.#options.portOf(service, port.port);
      return { service, weight, endpoints: own === undefined ? [] : this.#serving(service, own) };
    });
  }

  #serving(service: ServiceName, port: ServicePort): readonly Endpoint[] {
    return this.#options.endpointsOf(serviceKey(service)).filter(({ portName }) => portName === port.name);
  }
}
