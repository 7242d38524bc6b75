import { parseServiceKey, type ServiceName, serviceKey } from './service-name.ts';

/** A port of a service of a tenant: what clusters, endpoints and routes are named after. */
export interface ServicePortName {
  readonly tenant: string;
  readonly service: ServiceName;
  readonly port: number;
}

/** `<tenant>/<namespace>/<service>|<port>`. */
export const clusterName = ({ tenant, service, port }: ServicePortName): string =>
  `${tenant}/${serviceKey(service)}|${port}`;

export function parseClusterName(name: string): ServicePortName | undefined {
  const match = /^([^/|]+)\/([^|]+)\|(\d+)$/.exec(name);
  const service = parseServiceKey(match?.[2] ?? '');
  return service && { tenant: match?.[1] ?? '', service, port: Number(match?.[3]) };
}

/** What a gRPC client dials, `xds:///<namespace>/<service>` with an optional `:<port>`. */
export interface DialledService {
  readonly service: ServiceName;
  /** Undefined: the service's first port. */
  readonly port?: number;
}

export function parseDialledService(name: string): DialledService | undefined {
  const match = /^([^/:|]+\/[^/:|]+)(?::(\d+))?$/.exec(name);
  const service = parseServiceKey(match?.[1] ?? '');
  if (!service) return undefined;
  return match?.[2] === undefined ? { service } : { service, port: Number(match[2]) };
}

/** Before the address in the name of the listener of a gRPC server, see its bootstrap. */
export const serverListenerPrefix = 'grpc/server?xds.resource.listening_address=';

export const inboundListenerName = 'inbound-listener';
export const outboundListenerName = 'outbound-listener';

/** Names of secrets, as Envoy asks for them. */
export const secretNames = {
  /** The certificate of the workload behind the proxy. */
  workload: 'service-cert',
  /** Whom to believe when called. */
  inboundRoots: 'root-cert-for-mtls-inbound',
  /** Whom to believe when calling a service: the roots, and who may answer for it. */
  outboundRoots: (service: ServiceName): string => `root-cert-for-mtls-outbound:${serviceKey(service)}`,
} as const;
