import { notFound } from '@chandlery/api';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { ServiceName } from '../model/service-name.ts';

/** Shows a service with its endpoints, as the mesh knows them. */
export function showEndpoints(catalog: ServiceCatalog, service: ServiceName): object {
  const declared = catalog.services.getService(service);
  const endpoints = catalog.listEndpoints(service);
  if (declared === undefined && endpoints.length === 0)
    throw notFound({ group: '', resource: 'services' }, service.name);
  const split = catalog.topology.splitOf(service);
  return {
    ...service,
    ports: declared?.ports ?? [],
    addresses: declared?.addresses ?? [],
    clusters: declared?.clusters ?? [],
    serviceAccounts: catalog.accountsOf(service),
    ...(split && { split: { source: split.source, backends: split.backends } }),
    endpoints,
    staleProviders: catalog
      .listEndpointsProviders()
      .flatMap(({ id, staleReason }) => (staleReason === undefined ? [] : [{ id, reason: staleReason }])),
  };
}
