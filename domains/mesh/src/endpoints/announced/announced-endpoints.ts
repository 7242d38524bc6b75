import { ChandleryError } from '@chandlery/api';
import type { Endpoint } from '../../model/endpoint.ts';
import type { ProxyIdentity } from '../../model/identity.ts';
import { type ServiceKey, type ServiceName, serviceKey } from '../../model/service-name.ts';
import type { AnnouncedEndpoint, AnnouncedEndpoints, Announcement } from '../../ports/endpoints.ts';
import { canonicalEndpoint } from '../canonical-endpoint.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';

export interface AnnouncedEndpointsOptions {
  /** Unique id of the provider. Default `announced`. */
  readonly id?: string;
  /** Whether workloads of the account may serve the service. Called only for services of their own namespace. */
  readonly mayServe: (service: ServiceName, identity: ProxyIdentity) => boolean;
}

/** Creates an empty provider, which is synced from the start. */
export function createAnnouncedEndpoints(options: AnnouncedEndpointsOptions): AnnouncedEndpoints {
  const { id = 'announced', mayServe } = options;
  const table = new EndpointTable();
  /** By service, in the order of announcement. */
  const announced = new Map<ServiceKey, Set<readonly Endpoint[]>>();
  const show = (key: ServiceKey): void => table.replace([[key, latestOf(announced.get(key) ?? new Set())]]);
  const provider = createTableProvider({
    id,
    table,
    ready: Promise.resolve(),
    staleReason: () => undefined,
    end: () => Promise.resolve(),
  });
  const announce = (announcement: Announcement): Disposable => {
    const { service, identity } = announcement;
    if (service.namespace !== identity.namespace || !mayServe(service, identity)) throw forbidden(service, identity);
    const endpoints = announcement.endpoints.map(endpoint => readEndpoint(endpoint, identity));
    const key = serviceKey(service);
    const lists = announced.get(key) ?? new Set();
    announced.set(key, lists.add(endpoints));
    show(key);
    return {
      [Symbol.dispose]() {
        if (!lists.delete(endpoints)) return;
        if (lists.size === 0 && announced.get(key) === lists) announced.delete(key);
        show(key);
      },
    };
  };
  return Object.assign(provider, { announce });
}

/** The latest announcement of each address. */
function latestOf(lists: ReadonlySet<readonly Endpoint[]>): readonly Endpoint[] {
  const latest = new Map<string, Endpoint>();
  for (const endpoint of [...lists].flat())
    latest.set(`${endpoint.ip} ${endpoint.port} ${endpoint.portName}`, endpoint);
  return [...latest.values()];
}

function readEndpoint(announced: AnnouncedEndpoint, identity: ProxyIdentity): Endpoint {
  const { ip, port, portName = '', health = 'healthy', region, zone } = announced;
  const { cluster, serviceAccount, proxyId } = identity;
  const where = { cluster, ...(region && { region }), ...(zone && { zone }) };
  const source = proxyId && { source: `proxy ${proxyId}` };
  return canonicalEndpoint({ ip, port, portName, health, ...where, serviceAccount, ...source });
}

const forbidden = (service: ServiceName, { namespace, serviceAccount }: ProxyIdentity): ChandleryError =>
  new ChandleryError(
    'Forbidden',
    `the service account "${namespace}/${serviceAccount}" may not announce endpoints of "${serviceKey(service)}"`,
    { hint: 'Announce a service of the own namespace that runs as this service account.' },
  );
