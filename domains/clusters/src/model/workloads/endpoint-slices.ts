import { dynamicPortsAnnotation, portsAnnotation, reportedPorts } from '../../kinds/dynamic-ports.ts';
import { allContainers } from '../pods/pod.ts';
import type { Endpoint, EndpointSlice, PodObject, Service, ServicePort, SlicePort } from './objects.ts';
import { hashOf } from './pod-template.ts';
import { hasEnded, isPodReady } from './pods.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
/** Slices of other managers are left alone. */
export const managedBy = 'endpointslice-controller.k8s.io';

const maxEndpoints = 100;

type Slice = Pick<EndpointSlice, 'metadata' | 'addressType' | 'endpoints' | 'ports'>;

/** The slices of a service: one for each set of ports that its pods have, and an empty one when there are none. */
export function planSlices(service: Service, pods: readonly PodObject[]): readonly Slice[] {
  const groups = new Map<string, { ports: SlicePort[]; endpoints: Endpoint[] }>();
  for (const pod of pods.filter(hasEndpoint).toSorted(byName)) {
    const ports = (service.spec?.ports ?? []).flatMap(port => resolvePort(port, pod) ?? []);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(describeEndpoint(service, pod));
    groups.set(key, group);
  }
  if (groups.size === 0) return [describeSlice(service, [], [])];
  return [...groups.values()].flatMap(({ ports, endpoints }) =>
    chunks(endpoints).map((chunk, number) => describeSlice(service, ports, chunk, number)),
  );
}

const byName = (left: PodObject, right: PodObject): number =>
  (left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1;

/** Only a pod that has an address and has not ended can be reached. */
const hasEndpoint = (pod: PodObject): boolean => (pod.status?.podIP ?? '') !== '' && !hasEnded(pod) && hasItsPorts(pod);

/** A pod with dynamic ports has no endpoint before the node has reported them. */
const hasItsPorts = ({ metadata }: PodObject): boolean =>
  metadata.annotations?.[dynamicPortsAnnotation] === undefined || metadata.annotations[portsAnnotation] !== undefined;

/** The pod's number for a port of the service; undefined when the pod has no such port. */
function resolvePort(port: ServicePort, pod: PodObject): SlicePort | undefined {
  const number = targetNumber(port, pod);
  if (number === undefined) return undefined;
  return {
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: number,
    ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
  };
}

function targetNumber({ port, targetPort = port, protocol = 'TCP' }: ServicePort, pod: PodObject): number | undefined {
  const declared = pod.spec === undefined ? [] : allContainers(pod.spec).flatMap(({ ports = [] }) => ports);
  const chosen = reportedPorts(pod.metadata.annotations);
  const named = declared.find(candidate =>
    typeof targetPort === 'string'
      ? candidate.name === targetPort && (candidate.protocol ?? 'TCP') === protocol
      : candidate.containerPort === targetPort,
  );
  const number = typeof targetPort === 'number' ? targetPort : named?.containerPort;
  return chosen[named?.name ?? String(targetPort)] ?? number;
}

function describeEndpoint({ spec }: Service, pod: PodObject): Endpoint {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const { nodeName, hostname } = pod.spec ?? {};
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: {
      ready: spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving: spec?.publishNotReadyAddresses === true || serving,
      terminating,
    },
    ...(hostname !== undefined && pod.spec?.subdomain !== undefined ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

const chunks = (endpoints: readonly Endpoint[]): readonly Endpoint[][] =>
  Array.from({ length: Math.ceil(endpoints.length / maxEndpoints) }, (_, number) =>
    endpoints.slice(number * maxEndpoints, (number + 1) * maxEndpoints),
  );

/** Named by its ports, so that it is never created twice. */
function describeSlice(service: Service, ports: SlicePort[], endpoints: Endpoint[], number = 0): Slice {
  const { name = '', namespace = '', labels } = service.metadata;
  const headless: Record<string, string> =
    service.spec?.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  return {
    metadata: {
      name: `${name.slice(0, 240)}-${hashOf([ports, number])}`,
      namespace,
      labels: { ...labels, ...headless, [serviceNameLabel]: name, [managedByLabel]: managedBy },
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}
