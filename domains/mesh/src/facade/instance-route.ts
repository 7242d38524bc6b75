import { brokersCluster, brokersGroup } from '@chandlery/brokers/kinds';
import type { HttpHost } from '@chandlery/http';
import type { MeshDirectory } from '../directory/mesh-directory.ts';
import type { MeshSpec } from '../directory/mesh-spec.ts';
import type { InstanceRecords } from '../instances/instance-records.ts';
import { selectInstances } from '../instances/select-instances.ts';
import type { ProxyStream } from '../kinds/rest-documents.ts';
import { isSelected, type MeshInstance } from '../model/mesh-instance.ts';
import type { ServiceAccountName } from '../model/topology.ts';
import type { Authorizer } from './authorizer.ts';
import { listProxies, type ProxySources } from './list-proxies.ts';

export interface InstanceRouteOptions {
  readonly directory: Pick<MeshDirectory, 'find' | 'list' | 'tenantOf'>;
  /** Undefined: the landscape has no instances. */
  readonly instanceRecords?: (() => InstanceRecords) | undefined;
  readonly authorize: Authorizer;
  readonly proxies: ProxySources;
}

/** A proxy that enforces the access to an instance: of a caller, or in front of the instance. */
interface ShownProxy {
  readonly nodeId: string;
  readonly cluster: string;
  readonly replica: string;
  /** The worst state of its clusters and listeners: SYNCED, NOT_SENT, STALE or ERROR. */
  readonly state: string;
  /** What it has rejected. */
  readonly message?: string;
}

/** Adds the route that shows a service instance in its meshes: who may call it, and which proxies have accepted that. */
export function addInstanceRoute({ app }: HttpHost, options: InstanceRouteOptions): void {
  const { authorize, instanceRecords } = options;
  app.get('/mesh/v1/instances/:namespace/:name', async request => {
    const { namespace, name } = request.params as { readonly namespace: string; readonly name: string };
    const attributes = { verb: 'get', group: brokersGroup, resource: 'serviceinstances', namespace, name };
    await authorize(request, { cluster: brokersCluster, ...attributes });
    const records = instanceRecords?.();
    await records?.synced;
    const instance = records?.find(`${namespace}/${name}`)?.instance;
    if (records === undefined || instance === undefined) return { items: [] };
    const meshes = await meshesOf(namespace, options.directory);
    return { items: await Promise.all(meshes.map(spec => showIn(spec, { instance, records, ...options }))) };
  });
}

/** The meshes that take the instances of a tenant. */
async function meshesOf(tenant: string, directory: InstanceRouteOptions['directory']): Promise<readonly MeshSpec[]> {
  const names = new Set([...directory.list(), (await directory.tenantOf(brokersCluster)) ?? brokersCluster]);
  const specs = await Promise.all([...names].sort().map(mesh => directory.find(mesh)));
  return specs.filter(spec => spec !== undefined).filter(({ instances }) => isSelected(instances, tenant));
}

interface ShownParts {
  readonly instance: MeshInstance;
  readonly records: InstanceRecords;
  readonly proxies: ProxySources;
}

async function showIn(spec: MeshSpec, { instance, records, proxies }: ShownParts): Promise<object> {
  const { tenant: mesh, instances, clusters } = spec;
  const { service, serviceAccount, endpoints, cluster } = instance;
  const { grants } = selectInstances(records, { instances, clusters: clusters.map(({ name }) => name) });
  const { items } = await listProxies(mesh, proxies);
  const proxiesOf = (account: ServiceAccountName, where?: string): readonly ShownProxy[] =>
    items.filter(proxy => isOf(proxy, account) && (where === undefined || proxy.cluster === where)).map(showProxy);
  return {
    mesh,
    service,
    ...(cluster && { cluster }),
    endpoints,
    ...(serviceAccount && {
      serviceAccount: `${service.namespace}/${serviceAccount}`,
      proxies: proxiesOf({ namespace: service.namespace, name: serviceAccount }),
    }),
    access: grants.grantsTo(service).map(({ source, consumer, cluster: where }) => ({
      binding: source,
      account: `${consumer.namespace}/${consumer.name}`,
      ...(where && { cluster: where }),
      proxies: proxiesOf(consumer, where),
    })),
  };
}

const isOf = (proxy: ProxyStream, { namespace, name }: ServiceAccountName): boolean =>
  proxy.namespace === namespace && proxy.serviceAccount === name;

/** What a policy changes on a proxy. */
const enforcingTypes: readonly string[] = ['cluster', 'listener', 'route'];

const byUrgency: readonly string[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED'];

function showProxy({ nodeId, replica, cluster, types }: ProxyStream): ShownProxy {
  const enforcing = types.filter(({ type }) => enforcingTypes.includes(type));
  const worst = enforcing.toSorted((one, other) => byUrgency.indexOf(one.state) - byUrgency.indexOf(other.state))[0];
  const message = worst?.error?.message;
  return {
    nodeId,
    replica,
    cluster,
    state: worst?.state ?? 'NOT_SENT',
    ...(message !== undefined && { message }),
  };
}
