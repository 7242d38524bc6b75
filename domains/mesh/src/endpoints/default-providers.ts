import { mayBack } from '../model/endpoints/may-back.ts';
import type { EndpointsProviderFactory, ProviderMember } from '../ports/endpoints.ts';
import { createAnnouncedEndpoints } from './announced/announced-endpoints.ts';
import { createDnsEndpoints } from './dns/dns-endpoints.ts';
import { createEndpointSetEndpoints } from './endpoint-sets/endpoint-set-endpoints.ts';
import { createInstanceEndpoints } from './instances/instance-endpoints.ts';
import { createKubernetesEndpoints } from './kubernetes/kubernetes-endpoints.ts';
import { createVirtualMachineEndpoints } from './virtual-machines/virtual-machine-endpoints.ts';

const placeOf = ({ name, region, client }: ProviderMember) => ({
  client,
  cluster: name,
  ...(region === undefined ? {} : { region }),
});

const kubernetes: EndpointsProviderFactory = {
  name: 'kubernetes',
  open: ({ members }) => ({ providers: members.map(member => createKubernetesEndpoints(placeOf(member))) }),
};

/** Only logical clusters of this landscape have VirtualMachineSets. */
const virtualMachines: EndpointsProviderFactory = {
  name: 'virtual-machines',
  open: ({ members }) => {
    const opened = members
      .filter(({ isOwn }) => isOwn)
      .map(({ name: cluster, client }) => ({
        cluster,
        provider: createVirtualMachineEndpoints({ client, cluster, id: `virtual-machines/${cluster}` }),
      }));
    return {
      providers: opened.map(({ provider }) => provider),
      machines: opened.map(({ cluster, provider: { presence } }) => ({ cluster, presence })),
    };
  },
};

/** Only logical clusters of this landscape have EndpointSets, which inventories and the readers of clouds maintain. */
const inventories: EndpointsProviderFactory = {
  name: 'endpoint-sets',
  open: ({ members }) => ({
    providers: members
      .filter(({ isOwn }) => isOwn)
      .map(({ name: cluster, client }) =>
        createEndpointSetEndpoints({ client, cluster, id: `endpoint-sets/${cluster}` }),
      ),
  }),
};

const dns: EndpointsProviderFactory = {
  name: 'dns',
  open: ({ members }) => ({ providers: members.map(member => createDnsEndpoints(placeOf(member))) }),
};

const instances: EndpointsProviderFactory = {
  name: 'instances',
  open: ({ instances: selected, mesh }) => ({ providers: [createInstanceEndpoints({ instances: selected, mesh })] }),
};

/** Announcements are accepted for declared services that have no other endpoints or are backed by the same account. */
const announcements: EndpointsProviderFactory = {
  name: 'announced',
  open: ({ services, endpointsOf }) => {
    const announced = createAnnouncedEndpoints({
      mayServe: (service, { serviceAccount }) =>
        services.getService(service) !== undefined && mayBack(endpointsOf(service), serviceAccount),
    });
    return { providers: [announced], announced };
  },
};

/** The built-in endpoints providers, by descending priority. */
export const defaultEndpointsProviders: readonly EndpointsProviderFactory[] = [
  kubernetes,
  virtualMachines,
  inventories,
  dns,
  instances,
  announcements,
];
