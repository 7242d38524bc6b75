import { parseServiceKey, type ServiceName, serviceKey } from './service-name.ts';

/** A port of a service of a tenant, from which the names of clusters, endpoints and routes derive. */
export interface ServicePortName {
  readonly tenant: string;
  readonly service: ServiceName;
  readonly port: number;
}

/** `<tenant>/<namespace>/<service>|<port>`. */
export const clusterName = ({ tenant, service, port }: ServicePortName): string =>
  `${tenant}/${serviceKey(service)}|${port}`;

/** A cluster without endpoints, for gRPC clients whose calls must fail. No service has this name. */
export const nowhereClusterName = (tenant: string): string => `${tenant}/nowhere`;

export function parseClusterName(name: string): ServicePortName | undefined {
  const match = /^([^/|]+)\/([^|]+)\|(\d+)$/.exec(name);
  const service = parseServiceKey(match?.[2] ?? '');
  return service && { tenant: match?.[1] ?? '', service, port: Number(match?.[3]) };
}

/** What a gRPC client dials: `xds:///<service>.<namespace>` or `xds:///<namespace>/<service>`, with an optional `:<port>`. */
export interface DialledService {
  readonly service: ServiceName;
  /** Default: the first port of the service. */
  readonly port?: number;
}

/**
 * The names of a service for gRPC clients. Libraries send the dialled name as the authority, where HTTP/2 allows no
 * slash; the name with a slash is for clients that set another authority.
 */
export const dialledNames = (service: ServiceName): readonly string[] => [
  serviceKey(service),
  `${service.name}.${service.namespace}`,
];

/** Returns undefined for a text that is not the name of a service. */
export function parseDialledService(text: string): DialledService | undefined {
  const match = /^(?:([^/:|]+)\/([^/:|]+)|([^./:|]+)\.([^./:|]+))(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, namespace = match[4] ?? '', name = match[3] ?? '', , , port] = match;
  const service = { namespace, name };
  return port === undefined ? { service } : { service, port: Number(port) };
}

/** Prefix of the listener name of a gRPC server, before its address; see its bootstrap. */
export const serverListenerPrefix = 'grpc/server?xds.resource.listening_address=';

export const inboundListenerName = 'inbound-listener';
export const outboundListenerName = 'outbound-listener';

/** Envoy's cluster for destinations outside the mesh. */
export const passthroughClusterName = 'passthrough';

/** The workload certificate of an Envoy, in the folder that its agent maintains. It is never sent over a stream. */
export const workloadSecret = { name: 'service-cert', file: 'workload-certificate.yaml' } as const;

/** Folder of a proxy's certificates when its metadata has none. */
export const defaultCertificateFolder = '/etc/chandlery/mesh';

/** Names of SDS secrets. */
export const secretNames = {
  /** Trust bundle for inbound connections. */
  inboundRoots: 'root-cert-for-mtls-inbound',
  /** Trust bundle and principals for outbound connections to a service. */
  outboundRoots: (service: ServiceName): string => `root-cert-for-mtls-outbound:${serviceKey(service)}`,
} as const;
