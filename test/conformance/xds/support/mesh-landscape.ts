import { createClient, type HttpClient, type ResourceRef } from '@chandlery/client';
import { startTestLandscape, type TestLandscape, type TestLandscapeOptions } from '@chandlery/testing';
import type protobuf from 'protobufjs';
import { createCsr } from '../../../../domains/mesh/src/certificates/csr/create-csr.ts';
import { clusterName } from '../../../../domains/mesh/src/model/resource-names.ts';
import { loadEnvoyProtos } from '../../../../domains/mesh/src/resources/proto/load-envoy-protos.ts';
import {
  connectXds,
  type OpenTestStream,
  type TestTls,
} from '../../../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import { CheckedConnection } from './checked-connection.ts';
import { TestProxy } from './test-proxy.ts';

/** The default logical cluster, and so the mesh, of tests. */
export const tenant = 'shop-mesh';
export const namespace = 'shop';

export const refs = {
  namespaces: { group: '', version: 'v1', plural: 'namespaces' },
  services: { group: '', version: 'v1', plural: 'services' },
  pods: { group: '', version: 'v1', plural: 'pods' },
  slices: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  splits: { group: 'split.smi-spec.io', version: 'v1alpha4', plural: 'trafficsplits' },
  targets: { group: 'access.smi-spec.io', version: 'v1alpha3', plural: 'traffictargets' },
  routeGroups: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'httproutegroups' },
  tcpRoutes: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'tcproutes' },
  machineSets: { group: 'mesh.chandlery.io', version: 'v1alpha1', plural: 'virtualmachinesets' },
} as const satisfies Record<string, ResourceRef>;

/** Required metadata of an Envoy. */
export const envoyMetadata = { 'mesh.chandlery.io/certificate-folder': '/etc/chandlery/mesh' } as const;

/** A client. */
export interface Caller {
  /** Default {@link tenant}. */
  readonly cluster?: string;
  readonly account: string;
  /** Default: the name of the account. */
  readonly nodeId?: string;
  /** Default `envoy`, which authenticates with a certificate for its node id. */
  readonly dialect?: 'envoy' | 'grpc';
  /** Metadata of the node. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A running landscape with a mesh, from the view of its users. */
export interface MeshLandscape extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly root: protobuf.Root;
  /** Client of the logical cluster {@link tenant}, with the namespace {@link namespace}. */
  readonly client: HttpClient;
  clientOf(cluster: string): HttpClient;
  /** A key and certificate for an account, from the landscape itself; for a proxy if one is named. */
  certificate(caller: Caller, proxyId?: string): Promise<Required<TestTls>>;
  /** A raw client of the discovery server. */
  connect(caller: Caller, tls?: TestTls): Promise<CheckedConnection>;
  /** A raw client with one stream, by default of all types. */
  proxy(caller: Caller & { readonly stream?: OpenTestStream }): Promise<TestProxy>;
}

/** Starts a landscape with a mesh. */
export async function startMeshLandscape(options: TestLandscapeOptions = {}): Promise<MeshLandscape> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape(options));
  await createMeshCluster(landscape, tenant);
  const mesh = stack.use(await meshOf(landscape));
  const owned = stack.move();
  return { ...mesh, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A logical cluster, a mesh of its own, with the namespace {@link namespace}. */
export async function createMeshCluster(landscape: TestLandscape, cluster: string): Promise<void> {
  await landscape.createCluster(cluster);
  const body = object('v1', 'Namespace', { name: namespace });
  const answer = await landscape.request(`/clusters/${cluster}/api/v1/namespaces`, { body });
  if (answer.status !== 201) throw new Error(`no namespace: ${answer.status} ${answer.text}`);
}

/** The mesh of a running landscape, which is not stopped. */
export async function meshOf(landscape: TestLandscape): Promise<MeshLandscape> {
  const stack = new AsyncDisposableStack();
  const root = await loadEnvoyProtos();
  const clients = new Map<string, HttpClient>();
  const clientOf = (cluster: string): HttpClient => {
    const known = clients.get(cluster) ?? stack.use(clientFor(landscape, cluster));
    clients.set(cluster, known);
    return known;
  };
  const certificate: MeshLandscape['certificate'] = (caller, proxyId) => certify(landscape, caller, proxyId);
  const connect: MeshLandscape['connect'] = async (caller, tls) => {
    const { account, nodeId: id = account, dialect = 'envoy', metadata = {} } = caller;
    const node =
      dialect === 'grpc'
        ? { id, userAgentName: 'gRPC test', metadata }
        : { id, userAgentName: 'envoy', metadata: { ...envoyMetadata, ...metadata } };
    const address = { host: '127.0.0.1', port: landscape.xdsPort };
    const own = tls ?? (await certificate(caller, dialect === 'envoy' ? id : undefined));
    return new CheckedConnection(await connectXds({ address, tls: own, node }), root);
  };
  return {
    landscape,
    root,
    client: clientOf(tenant),
    clientOf,
    certificate,
    connect,
    proxy: async ({ stream, ...caller }) => {
      const connection = await connect(caller);
      return new TestProxy(connection, connection.open(stream), root);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const clientFor = ({ url, ca, token }: TestLandscape, cluster: string): HttpClient =>
  createClient({ server: `${url}/clusters/${cluster}`, caPem: ca, token });

export const object = (apiVersion: string, kind: string, metadata: object, rest: object = {}) => ({
  apiVersion,
  kind,
  metadata: { ...metadata },
  ...rest,
});

/** Name of the cluster, the endpoints and the routes of a service port. */
export const portName = (service: string, port = 80): string =>
  clusterName({ tenant, service: { namespace, name: service }, port });

/** A certificate for an account, which is created if it is missing. */
async function certify(
  landscape: TestLandscape,
  { cluster = tenant, account }: Caller,
  proxyId?: string,
): Promise<Required<TestTls>> {
  await createAccount(landscape, cluster, account);
  const { csr, privateKey } = createCsr();
  const path = `/mesh/v1/clusters/${cluster}/namespaces/${namespace}/serviceaccounts/${account}/certificates`;
  const answer = await landscape.request(path, { body: { csr, ...(proxyId && { proxyId }) } });
  if (answer.status !== 201) throw new Error(`no certificate: ${answer.status} ${answer.text}`);
  const { certificate, trustBundle } = answer.json<{ certificate: string; trustBundle: string }>();
  return { cert: certificate, key: privateKey, ca: trustBundle };
}

async function createAccount(landscape: TestLandscape, cluster: string, name: string): Promise<void> {
  const body = object('v1', 'ServiceAccount', { name });
  const path = `/clusters/${cluster}/api/v1/namespaces/${namespace}/serviceaccounts`;
  const { status, text } = await landscape.request(path, { body });
  if (status !== 201 && status !== 409) throw new Error(`no service account: ${status} ${text}`);
}
