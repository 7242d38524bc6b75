import type { KubeObject } from '@chandlery/api';
import type { Endpoint } from '../../model/endpoint.ts';
import type { ServiceKey } from '../../model/service-name.ts';
import type { DnsTarget } from './look-up-name.ts';

interface RawService extends KubeObject {
  readonly spec?: {
    readonly externalName?: string;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly targetPort?: number | string;
    }[];
  };
}

/**
 * Annotation of a Service of type ExternalName: the name of its SRV records, such as `_http._tcp.example.com`, instead
 * of `spec.externalName`, where Kubernetes allows no underscore.
 */
export const srvAnnotation = 'mesh.chandlery.io/srv-name';

/** The kept fields of a Service of type ExternalName. */
export interface ExternalService extends KubeObject {
  readonly key: ServiceKey;
  /** In lower case, without a final dot. */
  readonly host: string;
  readonly servedPorts: readonly { readonly name: string; readonly port: number }[];
}

/** Reduces a Service to the kept fields. */
export function compactService(service: KubeObject): ExternalService {
  const { apiVersion, kind, spec = {} } = service as RawService;
  const { name = '', namespace = '', uid = '', resourceVersion = '', annotations = {} } = service.metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    key: `${namespace}/${name}`,
    host: hostOf(annotations[srvAnnotation] ?? spec.externalName ?? ''),
    servedPorts: (spec.ports ?? []).map(({ name: portName = '', port, targetPort }) => ({
      name: portName,
      port: typeof targetPort === 'number' && targetPort > 0 ? targetPort : port,
    })),
  };
}

const hostOf = (name: string): string => name.trim().toLowerCase().replace(/\.$/, '');

/** The endpoints of an external service. Ports of SRV records apply to the first port of the service. */
export function endpointsOf(
  { host, servedPorts }: ExternalService,
  targets: readonly DnsTarget[],
  where: Pick<Endpoint, 'cluster' | 'region'>,
): readonly Endpoint[] {
  return targets.flatMap(({ ip, port: own, weight = 1 }) => {
    const ports = own === undefined ? servedPorts : [{ name: servedPorts[0]?.name ?? '', port: own }];
    const more = { ...(weight > 1 && { weight }), source: `name ${host}` };
    return ports.map(
      ({ name, port }): Endpoint => ({ ip, port, portName: name, health: 'healthy', ...where, ...more }),
    );
  });
}
