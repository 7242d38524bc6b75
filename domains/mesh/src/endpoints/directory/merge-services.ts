import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import type { MeshInstance } from '../../model/mesh-instance.ts';
import type { HealthCheck, MeshService, ServicePort } from '../../model/mesh-service.ts';
import { type ServiceName, serviceKey } from '../../model/service-name.ts';
import { type DeclaredPort, isCarried, protocolOf } from './port-protocol.ts';

/** A Service as one cluster declares it. */
export interface DeclaredService {
  readonly cluster: string;
  readonly ports: readonly DeclaredPort[];
  readonly clusterIps: readonly string[];
  readonly healthCheck?: HealthCheck;
}

/** Merges the declarations of a service with the service instance of its name: declared ports and addresses apply. */
export function mergeInstance(
  declared: MeshService | undefined,
  instance: MeshInstance | undefined,
): MeshService | undefined {
  if (instance === undefined) return declared;
  const isUnproxied = instance.serviceAccount === undefined;
  return { ...(declared ?? serviceOf(instance)), ...(isUnproxied && { isUnproxied }) };
}

/** Clients use an instance at its own addresses and ports, as its connection details name them. */
function serviceOf({ service, cluster, endpoints }: MeshInstance): MeshService {
  const byName = Map.groupBy(endpoints, ({ name = '' }) => name);
  const ports = [...byName].map(([name, served]) => {
    const port = Math.min(...served.map(endpoint => endpoint.port));
    return { name, port, protocol: protocolOf({ name, port }) };
  });
  const addresses = new Set(endpoints.flatMap(({ address }) => canonicalIp(address) ?? []));
  return {
    service,
    ports: ports.filter(({ port }, index) => ports.findIndex(other => other.port === port) === index),
    addresses: [...addresses].sort(),
    clusters: cluster === undefined ? [] : [cluster],
  };
}

/** A service of the mesh, and contradictions between its declarations. */
export interface MergedService {
  readonly service: MeshService;
  /** A message for display; undefined when all clusters agree. */
  readonly mismatch?: string;
}

/** Merges the declarations of a service by several clusters; the first cluster determines the ports. */
export function mergeServices(name: ServiceName, declared: readonly DeclaredService[]): MergedService | undefined {
  const [first, ...others] = declared;
  if (first === undefined) return undefined;
  const ports = portsOf(first);
  const odd = others.filter(other => sorted(portsOf(other)) !== sorted(ports));
  const addressesIn = Object.fromEntries(declared.map(each => [each.cluster, addressesOf(each)]));
  const service: MeshService = {
    service: { namespace: name.namespace, name: name.name },
    ports,
    addresses: [...new Set(Object.values(addressesIn).flat())].sort(),
    addressesIn,
    clusters: declared.map(({ cluster }) => cluster),
    ...(first.healthCheck && { healthCheck: first.healthCheck }),
  };
  if (odd.length === 0) return { service };
  const where = odd.map(({ cluster }) => `"${cluster}"`).join(', ');
  const mismatch = `service ${serviceKey(name)} has other ports on ${where} than on "${first.cluster}", which are used`;
  return { service, mismatch };
}

/** In the order of the declaration: clients that name no port use the first. */
const portsOf = ({ ports }: DeclaredService): ServicePort[] =>
  ports.filter(isCarried).map(port => ({ name: port.name ?? '', port: port.port, protocol: protocolOf(port) }));

const sorted = (ports: readonly ServicePort[]): string =>
  JSON.stringify(ports.toSorted((one, other) => one.port - other.port));

const addressesOf = ({ clusterIps }: DeclaredService): string[] =>
  clusterIps
    .filter(ip => ip !== 'None' && ip !== '')
    .flatMap(ip => canonicalIp(ip) ?? [])
    .sort();
