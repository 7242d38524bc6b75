import type { Endpoint } from '../../model/endpoint.ts';
import type { DeclaredService, Machine } from './machine.ts';

/** One way in which a service is served: which resources, on which ports, as whom. */
export interface ServedResources {
  readonly ids: readonly string[];
  readonly ports: DeclaredService['ports'];
  readonly serviceAccount?: string;
  /** Of the account. */
  readonly accountCluster?: string;
}

/** The first step: from the name of a service to the resources of the cloud that serve it. */
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

/** The second step: from resources to endpoints. Resources that nobody knows have none. */
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
