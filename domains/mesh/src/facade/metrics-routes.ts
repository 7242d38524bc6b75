import { methodNotAllowed, notFound } from '@chandlery/api';
import type { HttpHost, HttpRequest } from '@chandlery/http';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import { trafficMetrics } from '../kinds/smi/traffic-metrics.ts';
import { type ServiceName, serviceKey } from '../model/service-name.ts';
import type { LoadAggregate, LoadWindow } from '../server/load-and-status/load-aggregate.ts';
import type { Authorizer } from './authorizer.ts';
import { metricsList, metricsOfEdges, metricsOfService, type TrafficMetrics } from './traffic-metrics.ts';

export interface MetricsRoutesOptions {
  readonly loads: Pick<LoadAggregate, 'lastWindow'>;
  readonly tenantOf: (cluster: string) => Promise<string | undefined>;
  /** The catalog of an open mesh; undefined for others. */
  readonly catalogOf: (tenant: string) => Pick<ServiceCatalog, 'accountsOf' | 'services'> | undefined;
  readonly authorize: Authorizer;
}

interface Params {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

interface Found {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly window: LoadWindow;
  readonly catalog: ReturnType<MetricsRoutesOptions['catalogOf']>;
}

const { group, plural } = trafficMetrics;
const resource = { group, resource: plural };
/** Stands for a cluster that is in no mesh: no mesh has this name, so that it has no services. */
const noMesh = '';

/**
 * Adds SMI's TrafficMetrics of services to the API of each cluster, read-only: the calls that proxies have reported to
 * this replica in the last complete window.
 */
export function addMetricsRoutes({ app }: HttpHost, options: MetricsRoutesOptions): void {
  const root = `/clusters/:cluster/apis/${group}/${trafficMetrics.versions[0].name}`;
  const path = `${root}/namespaces/:namespace/${plural}`;
  for (const collection of [`${root}/${plural}`, path])
    app.get(collection, async request => {
      const found = await find(request, 'list', options);
      const items = servicesOf(found).map(service => metricsOfService(found.window, service));
      return wantsTable(request) ? metricsTable(items) : metricsList(items);
    });
  app.get(`${path}/:name`, async request => {
    const found = await find(request, 'get', options);
    const metrics = metricsOfService(found.window, known(request, found));
    return wantsTable(request) ? metricsTable([metrics]) : metrics;
  });
  app.get(`${path}/:name/edges`, async request => {
    const found = await find(request, 'get', options);
    const service = known(request, found);
    return metricsList(metricsOfEdges(found.window, service, found.catalog?.accountsOf(service) ?? []));
  });
}

async function find(request: HttpRequest, verb: 'get' | 'list', options: MetricsRoutesOptions): Promise<Found> {
  const { cluster, namespace, name } = request.params as Partial<Params> & Pick<Params, 'cluster'>;
  const place = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
  await options.authorize(request, { ...resource, cluster, verb, ...place });
  const { watch } = request.query as { readonly watch?: string };
  if (watch === 'true' || watch === '1') throw methodNotAllowed();
  const tenant = (await options.tenantOf(cluster)) ?? noMesh;
  return { namespace, window: options.loads.lastWindow(tenant), catalog: options.catalogOf(tenant) };
}

/**
 * The services of the namespace, or of all namespaces, that are declared or were called, sorted by namespace and name.
 */
function servicesOf({ namespace, window, catalog }: Found): readonly ServiceName[] {
  const declared = [...(catalog?.services.listServices() ?? [])].map(({ service }) => service);
  const called = window.edges.map(({ destination }) => destination);
  const all = [...declared, ...called].filter(service => namespace === undefined || service.namespace === namespace);
  const byKey = new Map(all.map(service => [serviceKey(service), service]));
  return [...byKey.keys()].sort().flatMap(key => byKey.get(key) ?? []);
}

function known(request: HttpRequest, found: Found): ServiceName {
  const { namespace, name } = request.params as Params;
  const isKnown = servicesOf(found).some(service => serviceKey(service) === serviceKey({ namespace, name }));
  if (!isKnown) throw notFound(resource, name);
  return { namespace, name };
}

const columns = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name of the service' },
  { name: 'Success', type: 'string', format: '', description: 'Calls that succeeded' },
  { name: 'Failure', type: 'string', format: '', description: 'Calls that failed or were not sent' },
  { name: 'Window', type: 'string', format: '', description: 'How long calls were counted' },
];

/** Whether the client accepts a Table, as `kubectl get` does. */
const wantsTable = ({ headers }: HttpRequest): boolean =>
  /;\s*as=Table\b/.test(headers.accept ?? '') && /;\s*v=v1\b/.test(headers.accept ?? '');

/** The metrics as a Table. */
const metricsTable = (items: readonly TrafficMetrics[]): object => ({
  apiVersion: 'meta.k8s.io/v1',
  kind: 'Table',
  metadata: {},
  columnDefinitions: columns.map(column => ({ ...column, priority: 0 })),
  rows: items.map(({ metadata, window, metrics }) => ({
    cells: [metadata.name, ...metrics.map(({ value }) => value), window],
    object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata },
  })),
});
