import { apiError, notFound } from '@chandlery/api';
import type { HttpHost, HttpRequest } from '@chandlery/http';
import type { ServiceCatalogue } from '../catalogue/service-catalogue.ts';
import { type ServiceName, serviceKey } from '../model/service-name.ts';
import type { LoadAggregate, LoadWindow } from '../server/load-aggregate.ts';
import type { Guard } from './guard.ts';
import { metricsList, metricsOfEdges, metricsOfService } from './traffic-metrics.ts';

export interface MetricsRoutesOptions {
  readonly loads: Pick<LoadAggregate, 'lastWindow'>;
  readonly tenantOf: (cluster: string) => Promise<string | undefined>;
  /** Of a mesh that has been read; undefined for others. */
  readonly catalogueOf: (tenant: string) => Pick<ServiceCatalogue, 'accountsOf' | 'topology'> | undefined;
  readonly guard: Guard;
}

interface Params {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

interface Found {
  readonly namespace: string;
  readonly window: LoadWindow;
  readonly catalogue: ReturnType<MetricsRoutesOptions['catalogueOf']>;
}

const resource = { group: 'metrics.smi-spec.io', resource: 'services' };

/**
 * SMI's TrafficMetrics of services, to be read only, beside the rest of a cluster's API: what proxies report of the calls
 * that they make, in the last whole window and to this replica.
 */
export function addMetricsRoutes({ app }: HttpHost, options: MetricsRoutesOptions): void {
  const path = '/clusters/:cluster/apis/metrics.smi-spec.io/v1alpha1/namespaces/:namespace/services';
  app.get(path, async request => {
    const found = await find(request, 'list', options);
    return metricsList(servicesOf(found).map(service => metricsOfService(found.window, service)));
  });
  app.get(`${path}/:name`, async request => {
    const found = await find(request, 'get', options);
    return metricsOfService(found.window, known(request, found));
  });
  app.get(`${path}/:name/edges`, async request => {
    const found = await find(request, 'get', options);
    const service = known(request, found);
    return metricsList(metricsOfEdges(found.window, service, found.catalogue?.accountsOf(service) ?? []));
  });
}

async function find(request: HttpRequest, verb: 'get' | 'list', options: MetricsRoutesOptions): Promise<Found> {
  const { cluster, namespace, name } = request.params as Partial<Params> & Pick<Params, 'cluster' | 'namespace'>;
  await options.guard(request, { ...resource, cluster, verb, namespace, ...(name !== undefined && { name }) });
  const tenant = await options.tenantOf(cluster);
  if (tenant === undefined) throw apiError('NotFound', `cluster "${cluster}" is in no mesh`);
  return { namespace, window: options.loads.lastWindow(tenant), catalogue: options.catalogueOf(tenant) };
}

/** Those of the namespace that are declared or were called, by name. */
function servicesOf({ namespace, window, catalogue }: Found): readonly ServiceName[] {
  const declared = [...(catalogue?.topology.listServices() ?? [])].map(({ service }) => service);
  const called = window.edges.map(({ destination }) => destination);
  const all = [...declared, ...called].filter(service => service.namespace === namespace);
  return [...new Set(all.map(({ name }) => name))].sort().map(name => ({ namespace, name }));
}

function known(request: HttpRequest, found: Found): ServiceName {
  const { namespace, name } = request.params as Params;
  const isKnown = servicesOf(found).some(service => serviceKey(service) === serviceKey({ namespace, name }));
  if (!isKnown) throw notFound(resource, name);
  return { namespace, name };
}
