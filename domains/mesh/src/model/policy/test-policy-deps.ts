import type { Endpoint } from '../endpoint.ts';
import type { MeshService, ServicePort } from '../mesh-service.ts';
import { parseServiceKey, serviceKey } from '../service-name.ts';
import type { HttpMatch, ServiceGrant, TrafficSplit, TrafficTarget } from '../topology.ts';
import type { PolicyDeps } from './policy-deps.ts';

/** The compact description of a small mesh. All objects are in the namespace `shop`. */
export interface TestMesh {
  /** Account by service name; undefined: the service has no endpoints. */
  readonly services: Readonly<Record<string, string | undefined>>;
  /** Default: `http` on 80 with the target port 8080. */
  readonly ports?: Readonly<Record<string, readonly ServicePort[]>>;
  readonly splits?: readonly TrafficSplit[];
  readonly targets?: readonly TrafficTarget[];
  /** Access by bindings, by service name. Default: none. */
  readonly grants?: Readonly<Record<string, readonly ServiceGrant[]>>;
  /** Services without a proxy of the mesh. Default: none. */
  readonly unproxied?: readonly string[];
  readonly isPermissive?: boolean;
}

export const shop = (name: string) => ({ namespace: 'shop', name });

export const httpPort: ServicePort = { name: 'http', port: 80, protocol: 'http' };
export const tcpPort: ServicePort = { name: 'pg', port: 5432, protocol: 'tcp' };
export const get: HttpMatch = { name: 'get', pathRegex: '/users', methods: ['GET'], headers: {} };

/** `from` may call `to`. Default: for GET on paths below /users. */
export const allow = (from: string, to: string, more: Partial<TrafficTarget> = {}): TrafficTarget => ({
  source: `shop/${from}-to-${to}`,
  destination: shop(to),
  sources: [shop(from)],
  http: [get],
  ...more,
});

/** Equal weights by default. */
export const divide = (
  root: string,
  backends: Record<string, number>,
  more: Partial<TrafficSplit> = {},
): TrafficSplit => ({
  source: `shop/${root}`,
  root: shop(root),
  backends: Object.entries(backends).map(([name, weight]) => ({ service: shop(name), weight })),
  ...more,
});

/** The scope of an account on the cluster `east`. */
export const scopeOf = (serviceAccount: string) => ({
  identity: { trustDomain: 'one', tenant: 'acme', cluster: 'east', namespace: 'shop', serviceAccount },
});

/** The dependencies of policies for a small mesh on the clusters `east` and `west`. */
export function needsOf({
  services,
  ports = {},
  splits = [],
  targets = [],
  grants = {},
  unproxied = [],
  isPermissive = false,
}: TestMesh): PolicyDeps {
  const declared = new Map<string, MeshService>(
    Object.keys(services).map(name => [
      serviceKey(shop(name)),
      {
        service: shop(name),
        ports: ports[name] ?? [httpPort],
        addresses: ['10.0.0.1', '10.1.0.1'],
        addressesIn: { east: ['10.0.0.1'], west: ['10.1.0.1'] },
        clusters: ['east', 'west'],
        ...(unproxied.includes(name) && { isUnproxied: true }),
      },
    ]),
  );
  const accountOf = (key: string): string | undefined => services[parseServiceKey(key)?.name ?? ''];
  return {
    topology: {
      isPermissive,
      splitOf: root => splits.find(split => serviceKey(split.root) === serviceKey(root)),
      targetsTo: destination => targets.filter(target => serviceKey(target.destination) === serviceKey(destination)),
      targetsFrom: source => targets.filter(({ sources }) => sources.some(each => each.name === source.name)),
      grantsTo: ({ name }) => grants[name] ?? [],
    },
    services: { getService: service => declared.get(serviceKey(service)) },
    clusters: ['east', 'west'],
    trustDomains: ['one', 'two'],
    endpointsOf: service => endpointsOf(declared.get(serviceKey(service)), accountOf(serviceKey(service))),
    accountsOf: service => {
      const account = accountOf(serviceKey(service));
      return account === undefined ? [] : [`shop/${account}`];
    },
    servicesOf: account => [...declared.keys()].filter(key => `shop/${accountOf(key)}` === account),
  };
}

function endpointsOf(service: MeshService | undefined, serviceAccount: string | undefined): Endpoint[] {
  if (service === undefined || serviceAccount === undefined) return [];
  return ['east', 'west'].flatMap((cluster, index) =>
    service.ports.map(({ name, port }) => ({
      ip: `10.9.${index}.1`,
      port: port + 8000,
      portName: name,
      health: 'healthy' as const,
      cluster,
      serviceAccount,
    })),
  );
}
