import { isSameJson } from '@chandlery/api';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { type EndpointSet, maxEndpointsInSet } from '../../kinds/endpoint-set.ts';
import { compareEndpoints } from '../endpoints/endpoint-order.ts';
import type { CloudMachine, SetEndpoint } from './cloud-machine.ts';

export type EndpointSetSpec = EndpointSet['spec'];

/** Changes that bring the sets of a resource to what its cloud shows. */
export interface EndpointSetPlan {
  readonly put: readonly { readonly name: string; readonly spec: EndpointSetSpec }[];
  /** Names. */
  readonly remove: readonly string[];
}

export interface PlanInput {
  /** Name of the first set; further ones have a number. */
  readonly name: string;
  readonly cloud: string;
  readonly resource: CloudResource['spec'];
  readonly machines: readonly CloudMachine[];
  /** Endpoints that could not be read again and stay. */
  readonly kept: readonly SetEndpoint[];
  readonly stale?: NonNullable<EndpointSetSpec['stale']>;
  /** Present sets of the resource. */
  readonly present: readonly EndpointSet[];
}

/** The sets of a resource that was resolved; sets that are right already are not in the plan. */
export function planEndpointSets(input: PlanInput): EndpointSetPlan {
  const { name, cloud, resource, machines, kept, stale, present } = input;
  const { service, serviceAccount } = resource;
  const common = { service, ...(serviceAccount && { serviceAccount }), cloud, ...(stale && { stale }) };
  const sorted = [...endpointsOf(resource, machines), ...kept].sort(compareEndpoints);
  const desired = chunksOf(sorted).map((endpoints, index) => ({
    name: index === 0 ? name : `${name}-${index}`,
    spec: { ...common, endpoints },
  }));
  const names = new Set(desired.map(set => set.name));
  const specs = new Map(present.map(({ metadata, spec }) => [metadata.name ?? '', spec]));
  return {
    put: desired.filter(set => !isSameJson(specs.get(set.name), set.spec)),
    remove: [...specs.keys()].filter(known => !names.has(known)).sort(),
  };
}

/** The sets of a resource whose cloud cannot be read: as they are, with the reason and since when they may be old. */
export const planStaleSets = (present: readonly EndpointSet[], stale: NonNullable<EndpointSetSpec['stale']>) =>
  present.flatMap(({ metadata: { name = '' }, spec }) => {
    // A set that is already stale was read last at that time.
    const stated = { since: spec.stale?.since ?? stale.since, reason: stale.reason };
    return isSameJson(spec.stale, stated) ? [] : [{ name, spec: { ...spec, stale: stated } }];
  });

const endpointsOf = (
  { ports, weight }: CloudResource['spec'],
  machines: readonly CloudMachine[],
): readonly SetEndpoint[] =>
  machines.flatMap(({ id, address, state, region, zone }) =>
    ports.map(({ name, port }) => ({
      ...{ ip: address, port, portName: name, state, region, weight, source: id },
      ...(zone && { zone }),
    })),
  );

/** At least one: the set of a resource without machines shows that there are none. */
function chunksOf(endpoints: readonly SetEndpoint[]): SetEndpoint[][] {
  const count = Math.max(1, Math.ceil(endpoints.length / maxEndpointsInSet));
  return Array.from({ length: count }, (_, at) =>
    endpoints.slice(at * maxEndpointsInSet, (at + 1) * maxEndpointsInSet),
  );
}
