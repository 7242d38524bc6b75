import type { HttpClient } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { type MeshLandscape, namespace, object, portName, refs, tenant } from './mesh-landscape.ts';

/** An endpoint of a service. */
export interface DeclaredEndpoint {
  readonly ip: string;
  readonly zone?: string;
}

interface DeclaredPort {
  readonly name: string;
  readonly port: number;
  readonly targetPort?: number;
  readonly appProtocol?: string;
}

export interface DeclaredService {
  readonly name: string;
  /** Default: one, `http`, at 80. */
  readonly ports?: readonly DeclaredPort[];
  /** Service account of its pods. Default: the name of the service. */
  readonly account?: string;
  /** Its virtual address. Default: none. */
  readonly address?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly endpoints?: readonly DeclaredEndpoint[];
}

const httpPort: readonly DeclaredPort[] = [{ name: 'http', port: 80, targetPort: 8080 }];
const place = { namespace };

/** A service, with pods of its account and a slice that lists them, as a cluster's controllers would write it. */
export async function declareService(client: HttpClient, service: DeclaredService): Promise<void> {
  await setEndpoints(client, service);
  await setService(client, service);
}

/** Writes a service again, without its endpoints. */
export async function setService(client: HttpClient, service: DeclaredService): Promise<void> {
  const { name, ports = httpPort, address, annotations } = service;
  const spec = {
    ports: ports.map(port => ({ ...port, protocol: 'TCP' })),
    selector: { app: name },
    ...(address && { clusterIP: address }),
  };
  const metadata = { name, ...place, ...(annotations && { annotations }) };
  await apply(client, { ...refs.services, name }, object('v1', 'Service', metadata, { spec }));
}

/** Replaces the endpoints of a service. */
export async function setEndpoints(client: HttpClient, service: DeclaredService): Promise<void> {
  const { name, ports = httpPort, account = name, endpoints = [] } = service;
  await Promise.all(endpoints.map(endpoint => setPod(client, podName(name, endpoint), account)));
  const metadata = { name: `${name}-1`, ...place, labels: { 'kubernetes.io/service-name': name } };
  const body = object('discovery.k8s.io/v1', 'EndpointSlice', metadata, {
    addressType: 'IPv4',
    ports: ports.map(({ name: endpointPort, port, targetPort = port }) => ({
      name: endpointPort,
      port: targetPort,
      protocol: 'TCP',
    })),
    endpoints: endpoints.map(endpoint => sliceEndpoint(name, endpoint)),
  });
  await apply(client, { ...refs.slices, name: metadata.name }, body);
}

const podName = (service: string, { ip }: DeclaredEndpoint): string => `${service}-${ip.replaceAll(/[.:]/g, '-')}`;

const sliceEndpoint = (service: string, endpoint: DeclaredEndpoint) => ({
  addresses: [endpoint.ip],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: 'Pod', name: podName(service, endpoint), namespace },
  ...(endpoint.zone && { zone: endpoint.zone }),
});

async function setPod(client: HttpClient, name: string, account: string): Promise<void> {
  const spec = { serviceAccountName: account, containers: [{ name: 'main', image: 'example.org/app:1' }] };
  await apply(client, { ...refs.pods, name }, object('v1', 'Pod', { name, ...place }, { spec }));
}

type NamedRef = (typeof refs)[keyof typeof refs] & { readonly name: string };

async function apply(client: HttpClient, ref: NamedRef, body: ReturnType<typeof object>): Promise<void> {
  await client.patch({ ...ref, namespace }, { type: 'apply', body, force: true }, { fieldManager: 'test' });
}

/** Allowed calls. */
export interface AllowedCalls {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Default: all. */
  readonly pathRegex?: string;
}

/** Allows accounts to call an account, on all ports. */
export async function allowCalls(client: HttpClient, allowed: AllowedCalls): Promise<void> {
  const { name, from, to, pathRegex = '.*' } = allowed;
  const specs = 'specs.smi-spec.io/v1alpha4';
  const matches = [{ name: 'calls', pathRegex, methods: ['*'] }];
  const account = (accountName: string) => ({ kind: 'ServiceAccount', name: accountName, namespace });
  const rules = ['HTTPRouteGroup', 'TCPRoute'].map(kind => ({ kind, name }));
  const spec = { destination: account(to), sources: from.map(account), rules };
  const metadata = { name, ...place };
  await apply(client, { ...refs.routeGroups, name }, object(specs, 'HTTPRouteGroup', metadata, { spec: { matches } }));
  const anyPort = object(specs, 'TCPRoute', metadata, { spec: { matches: { ports: [] } } });
  await apply(client, { ...refs.tcpRoutes, name }, anyPort);
  await apply(
    client,
    { ...refs.targets, name },
    object('access.smi-spec.io/v1alpha3', 'TrafficTarget', metadata, { spec }),
  );
}

/** Splits the traffic of a service. */
export async function setSplit(
  client: HttpClient,
  service: string,
  weights: Readonly<Record<string, number>>,
): Promise<void> {
  const backends = Object.entries(weights).map(([backend, weight]) => ({ service: backend, weight }));
  const spec = { service, backends };
  const body = object('split.smi-spec.io/v1alpha4', 'TrafficSplit', { name: service, ...place }, { spec });
  await apply(client, { ...refs.splits, name: service }, body);
}

/** A machine outside the cluster that also serves a service, with these addresses. */
export async function setMachine(client: HttpClient, service: string, addresses: readonly string[]): Promise<void> {
  const ports = [{ name: 'http', port: 8080 }];
  const spec = {
    machines: [{ id: 'machine-1', addresses }],
    services: [{ name: service, ports, machines: ['machine-1'], serviceAccount: service }],
  };
  const body = object('mesh.chandlery.io/v1alpha1', 'VirtualMachineSet', { name: service, ...place }, { spec });
  await apply(client, { ...refs.machineSets, name: service }, body);
}

/**
 * Declares a service that accounts may call. Resolves with the name of its first port when the mesh has read all of it,
 * so that the next response is not caused by a change.
 */
export async function offer(
  mesh: MeshLandscape,
  service: DeclaredService & { readonly from: readonly string[] },
): Promise<string> {
  const { name, account = name, from, ports = httpPort } = service;
  await declareService(mesh.client, service);
  await allowCalls(mesh.client, { name, from, to: account });
  for (const caller of from) await untilAllowed(mesh, caller, name);
  return portName(name, ports[0]?.port);
}

async function untilAllowed({ landscape }: MeshLandscape, from: string, to: string): Promise<void> {
  const query = new URLSearchParams({
    from: `${namespace}/${from}`,
    to: `${namespace}/${to}`,
    method: 'GET',
    path: '/',
  });
  await eventually(
    async () => {
      const answer = await landscape.request(`/mesh/v1/meshes/${tenant}/explain?${query}`);
      return answer.status === 200 && answer.json<{ verdict: string }>().verdict === 'allowed';
    },
    { timeoutMs: 15_000, what: `${from} to be allowed to call ${to}` },
  );
}
