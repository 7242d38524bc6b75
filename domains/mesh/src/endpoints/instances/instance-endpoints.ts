import { brokersCluster } from '@chandlery/brokers/kinds';
import type { Endpoint } from '../../model/endpoint.ts';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import type { MeshInstance } from '../../model/mesh-instance.ts';
import { parseServiceKey, type ServiceKey, serviceKey } from '../../model/service-name.ts';
import type { EndpointsProvider } from '../../ports/endpoints.ts';
import type { MeshInstances } from '../../ports/mesh-instances.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';

/** The place of an instance that names no cluster; its service account is then beside its object. */
const unknownPlace = 'instances';

export interface InstanceEndpointsOptions {
  /** Not disposed of. */
  readonly instances: MeshInstances;
  /** Name of the mesh. */
  readonly mesh: string;
}

/** Provides the endpoints of service instances. The cost of a change is that of the instance. */
export function createInstanceEndpoints({ instances, mesh }: InstanceEndpointsOptions): EndpointsProvider {
  const table = new EndpointTable();
  const update = (services: Iterable<ServiceKey>): void => {
    table.replace([...services].map(key => [key, endpointsAt(key, instances)] as const));
  };
  const unsubscribe = instances.subscribe(update);
  const ready = instances.synced.then(() => update([...instances.list()].map(({ service }) => serviceKey(service))));
  return createTableProvider({
    id: `instances/${mesh}`,
    table,
    ready,
    staleReason: () => instances.staleReason,
    end: async () => unsubscribe(),
  });
}

function endpointsAt(key: ServiceKey, instances: MeshInstances): readonly Endpoint[] {
  const service = parseServiceKey(key);
  const instance = service && instances.get(service);
  return instance === undefined ? [] : endpointsOf(instance);
}

function endpointsOf({ cluster, serviceAccount, endpoints, source }: MeshInstance): Endpoint[] {
  const account = serviceAccount && { serviceAccount, accountCluster: cluster ?? brokersCluster };
  const common = { health: 'healthy' as const, cluster: cluster ?? unknownPlace, ...account, source };
  return endpoints.flatMap(({ address, port, name: portName = '' }) => {
    const ip = canonicalIp(address);
    return ip === undefined ? [] : [{ ip, port, portName, ...common }];
  });
}
