import { isSameJson } from '@chandlery/api';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { type EndpointSet, maxEndpointsInSet } from '../../kinds/endpoint-set.ts';
import { compareEndpoints, endpointKey } from '../endpoints/endpoint-order.ts';
import type { CloudMachine, SetEndpoint } from './cloud-machine.ts';

export type EndpointSetSpec = EndpointSet['spec'];

/** Changes that bring the sets of a resource to what its cloud shows. */
export interface EndpointSetPlan {
  readonly put: readonly { readonly name: string; readonly spec: EndpointSetSpec }[];
  /** Names. */
  readonly remove: readonly string[];
}

export interface PlanInput {
  /** Name of a set, from 0. */
  readonly nameOf: (index: number) => string;
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
  const { nameOf, cloud, resource, machines, kept, stale, present } = input;
  const { service, serviceAccount } = resource;
  const common = { service, ...(serviceAccount && { serviceAccount }), cloud, ...(stale && { stale }) };
  const specs = new Map(present.map(({ metadata, spec }) => [metadata.name ?? '', spec]));
  const found = [...endpointsOf(resource, machines), ...kept];
  const before = present.map((_, index) => specs.get(nameOf(index))?.endpoints ?? []);
  const desired = divide(found, before).map((endpoints, index) => ({
    name: nameOf(index),
    spec: { ...common, endpoints },
  }));
  const names = new Set(desired.map(set => set.name));
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

/**
 * Divides endpoints into sets, of which there is at least one: that of a resource without machines shows that there are
 * none. Each stays in the set that it is in, unless there are fewer sets now: so a change rewrites few of them, and none
 * is missing between the writes of two.
 */
function divide(endpoints: readonly SetEndpoint[], before: readonly (readonly SetEndpoint[])[]): SetEndpoint[][] {
  const count = Math.max(1, Math.ceil(endpoints.length / maxEndpointsInSet));
  const sets = Array.from({ length: count }, (): SetEndpoint[] => []);
  const indexes = new Map(before.flatMap((set, index) => set.map(endpoint => [endpointKey(endpoint), index] as const)));
  const others: SetEndpoint[] = [];
  for (const endpoint of endpoints) {
    const own = sets[indexes.get(endpointKey(endpoint)) ?? count];
    if (own !== undefined && hasRoom(own)) own.push(endpoint);
    else others.push(endpoint);
  }
  for (const endpoint of others.sort(compareEndpoints)) sets.find(hasRoom)?.push(endpoint);
  return sets.map(set => set.sort(compareEndpoints));
}

const hasRoom = (set: readonly SetEndpoint[]): boolean => set.length < maxEndpointsInSet;
