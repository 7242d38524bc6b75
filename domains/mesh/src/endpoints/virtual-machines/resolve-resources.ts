import type { Endpoint } from '../../model/endpoint.ts';
import type { DeclaredService, Machine } from './machine.ts';

/** Resources that serve a service, with ports and account. */
export interface ServedResources {
  readonly ids: readonly string[];
  readonly ports: DeclaredService['ports'];
  readonly serviceAccount?: string;
  /** Cluster of the account. */
  readonly accountCluster?: string;
}

/** First step: resolves a service to the cloud resources that serve it. */
export const resolveResources = (
  name: string,
  declared: readonly DeclaredService[],
  accountCluster?: string,
): readonly ServedResources[] =>
  declared
    .filter(service => service.name === name)
    .map(({ machines, ports, serviceAccount }) => ({
      ids: machines,
      ports,
      ...(serviceAccount && { serviceAccount, ...(accountCluster && { accountCluster }) }),
    }));

/** Second step: resolves resources to endpoints. Unknown resources have none. */
export const endpointsOf = (
  served: readonly ServedResources[],
  resolveAddresses: (id: string) => Machine | undefined,
): readonly Endpoint[] =>
  served.flatMap(resources =>
    resources.ids.flatMap(id => {
      const machine = resolveAddresses(id);
      return machine === undefined ? [] : endpointsAt(id, machine, resources);
    }),
  );

function endpointsAt(
  id: string,
  machine: Machine,
  { ids: _, ports, ...account }: ServedResources,
): readonly Endpoint[] {
  const { addresses, health, cloud, region, zone, weight } = machine;
  const where = { health, cluster: cloud, ...(region && { region }), ...(zone && { zone }) };
  const who = { ...(weight > 1 && { weight }), ...account, source: id };
  return addresses.flatMap(ip => ports.map(({ name, port }) => ({ ip, port, portName: name, ...where, ...who })));
}
