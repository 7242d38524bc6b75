import type { KubeObject } from '@chandlery/api';
import type { ClusterView } from './cluster-view.ts';

/** An address that serves a Service. */
export interface ReadyEndpoint {
  readonly address: string;
  readonly port: number;
}

interface Slice extends KubeObject {
  endpoints?: readonly { addresses: readonly string[]; conditions?: { ready?: boolean } }[];
  ports?: readonly { name?: string; port?: number }[];
}

const serviceNameLabel = 'kubernetes.io/service-name';

/** The ready endpoints of a Service at a named port, in the order of its slices. */
export function readyEndpoints(
  view: Pick<ClusterView, 'objects'>,
  { metadata }: KubeObject,
  portName = '',
): readonly ReadyEndpoint[] {
  const { namespace = '', name = '' } = metadata;
  const slices = view.objects('discovery.k8s.io/v1/EndpointSlice', namespace) as readonly Slice[];
  return slices
    .filter(slice => slice.metadata.labels?.[serviceNameLabel] === name)
    .flatMap(({ ports = [], endpoints = [] }) => {
      const port = ports.find(candidate => (candidate.name ?? '') === portName)?.port;
      const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
      return port === undefined
        ? []
        : ready.flatMap(({ addresses: [address] }) => (address ? [{ address, port }] : []));
    });
}

/** The first port of a Service, which clients that name no port use; empty when it has no name. */
export const firstPortName = (service: KubeObject): string =>
  ((service['spec'] ?? {}) as { ports?: readonly { name?: string }[] }).ports?.[0]?.name ?? '';
