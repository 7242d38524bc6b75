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

/** A cluster without endpoints, for gRPC clients whose calls must fail. No service has a name like this. */
export const nowhereClusterName = (tenant: string): string => `${tenant}/nowhere`;

export function parseClusterName(name: string): ServicePortName | undefined {
  const match = /^([^/|]+)\/([^|]+)\|(\d+)$/.exec(name);
  const service = parseServiceKey(match?.[2] ?? '');
  return service && { tenant: match?.[1] ?? '', service, port: Number(match?.[3]) };
}

/** What a gRPC client dials: `xds:///<service>.<namespace>` or `xds:///<namespace>/<service>`, with an optional `:<port>`. */
export interface DialledService {
  readonly service: ServiceName;
  /** Undefined: the service's first port. */
  readonly port?: number;
}

/**
 * Under which a gRPC client finds a service. Libraries send what they dial as the name of the host, where HTTP/2 allows no
 * slash; the name with one is for those who set another authority.
 */
export const dialledNames = (service: ServiceName): readonly string[] => [
  serviceKey(service),
  `${service.name}.${service.namespace}`,
];

/** Undefined for anything that cannot be a service. */
export function parseDialledService(text: string): DialledService | undefined {
  const match = /^(?:([^/:|]+)\/([^/:|]+)|([^./:|]+)\.([^./:|]+))(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, namespace = match[4] ?? '', name = match[3] ?? '', , , port] = match;
  const service = { namespace, name };
  return port === undefined ? { service } : { service, port: Number(port) };
}

/** Before the address in the name of the listener of a gRPC server, see its bootstrap. */
export const serverListenerPrefix = 'grpc/server?xds.resource.listening_address=';

export const inboundListenerName = 'inbound-listener';
export const outboundListenerName = 'outbound-listener';

/** Envoy's way out of the mesh. */
export const passthroughClusterName = 'passthrough';

/** Where Envoys find the certificate of their workload, in the folder that their agent keeps. It comes over no stream. */
export const workloadSecret = { name: 'service-cert', file: 'workload-certificate.yaml' } as const;

/** Where the certificates of a proxy are expected that does not say. */
export const usualCertificateFolder = '/etc/chandlery/mesh';

/** Names of secrets, as Envoy asks for them. */
export const secretNames = {
  /** Whom to believe when called. */
  inboundRoots: 'root-cert-for-mtls-inbound',
  /** Whom to believe when calling a service: the roots, and who may answer for it. */
  outboundRoots: (service: ServiceName): string => `root-cert-for-mtls-outbound:${serviceKey(service)}`,
} as const;
