import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
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
