import { notFound } from '@chandlery/api';
import type { ServiceCatalogue } from '../catalog/service-catalog.ts';
import type { ServiceName } from '../model/service-name.ts';

/** A service and where it runs, as the mesh sees it. */
export function showEndpoints(catalogue: ServiceCatalogue, service: ServiceName): object {
  const declared = catalogue.services.getService(service);
  const endpoints = catalogue.endpointsOf(service);
  if (declared === undefined && endpoints.length === 0)
    throw notFound({ group: '', resource: 'services' }, service.name);
  const split = catalogue.topology.splitOf(service);
  return {
    ...service,
    ports: declared?.ports ?? [],
    addresses: declared?.addresses ?? [],
    clusters: declared?.clusters ?? [],
    serviceAccounts: catalogue.accountsOf(service),
    ...(split && { split: { source: split.source, backends: split.backends } }),
    endpoints,
    staleProviders: catalogue
      .listEndpointsProviders()
      .flatMap(({ id, staleReason }) => (staleReason === undefined ? [] : [{ id, reason: staleReason }])),
  };
}
