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
 * On a Service of type ExternalName: the name of its SRV records, such as `_http._tcp.example.com`, which stands in place
 * of `spec.externalName`; Kubernetes allows no underscore there.
 */
export const srvAnnotation = 'mesh.chandlery.io/srv-name';

/** A Service of type ExternalName with nothing but what becomes of it. */
export interface ExternalService extends KubeObject {
  readonly key: ServiceKey;
  /** In lower case, without a final dot. */
  readonly host: string;
  readonly servedPorts: readonly { readonly name: string; readonly port: number }[];
}

/** What an informer keeps of a service. */
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

/** Where it is reached. A name that says ports itself serves the first port of the service. */
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
