import type { CloudProvider, CloudRegion } from '../../model/configuration/configuration.ts';
import { type FleetResponse, ok, type ProductCall, type UserCall } from './call.ts';
import type { HandlerDeps } from './facade-deps.ts';
import { listEnvelope } from './lists/paging.ts';

type Deps = Pick<HandlerDeps, 'capacity'>;

/** Handlers of cloud providers, their regions, and whether there is room. */
export const providerHandlers = ({ capacity }: Deps) => ({
  /** All of them, whatever page is asked for. */
  list: async ({ product }: ProductCall): Promise<FleetResponse> => {
    const items = [...product.configuration.providers.values()].map(presentProvider);
    return ok(listEnvelope('CloudProviderList', { page: 1, total: items.length, items }));
  },

  /** All of them, whatever page is asked for; none for an unknown provider. */
  listRegions: async (call: ProductCall): Promise<FleetResponse> => {
    const { product, params, query } = call;
    const provider = params['id'] ?? '';
    const type = query.get('instance_type') ?? '';
    const regions = [...(product.configuration.providers.get(provider)?.regions.values() ?? [])];
    const offered = regions.filter(({ instanceTypes }) => type === '' || instanceTypes.has(type));
    const items = offered.map(region => presentRegion(region, capacityOf(call, capacity, { provider, region })));
    return ok(listEnvelope('CloudRegionList', { page: 1, total: items.length, items }));
  },

  /** Whether an instance of any type would be rejected everywhere. So it is for those who are denied. */
  status: async (call: UserCall): Promise<FleetResponse> => {
    const { product, caller, names } = call;
    const { settings, denyList, providers } = product.configuration;
    const isDenied = settings.enableDenyList && denyList.has(caller.username);
    const hasRoom = [...providers.values()].some(({ name, regions }) =>
      [...regions.values()].some(region =>
        capacityOf(call, capacity, { provider: name, region }).some(({ available_sizes: sizes }) => sizes.length > 0),
      ),
    );
    return ok({ [names.collection]: { max_capacity_reached: isDenied || !hasRoom } });
  },
});

interface Place {
  readonly provider: string;
  readonly region: CloudRegion;
}

function capacityOf({ product }: ProductCall, capacity: Deps['capacity'], { provider, region }: Place) {
  return [...region.instanceTypes.keys()].map(instanceType => ({
    instance_type: instanceType,
    available_sizes: capacity.availableSizes(product, { cloudProvider: provider, region: region.name, instanceType }),
  }));
}

const presentProvider = ({ name, displayName, regions }: CloudProvider): object => ({
  kind: 'CloudProvider',
  id: name,
  display_name: displayName,
  name,
  enabled: [...regions.values()].some(isEnabled),
});

const presentRegion = (region: CloudRegion, capacity: readonly object[]): object => ({
  kind: 'CloudRegion',
  id: region.name,
  display_name: region.displayName,
  enabled: isEnabled(region),
  supported_instance_types: [...region.instanceTypes.keys()],
  capacity,
});

const isEnabled = ({ instanceTypes }: CloudRegion): boolean => instanceTypes.size > 0;
