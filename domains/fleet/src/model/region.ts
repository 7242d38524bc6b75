import { fleetError } from '../errors.ts';
import type { CloudProvider, CloudRegion, FleetConfiguration, RegionLimits } from './configuration/configuration.ts';

/** A region and its provider. */
export interface Location {
  readonly provider: CloudProvider;
  readonly region: CloudRegion;
}

/** What was asked for; undefined and empty: the default. */
export interface LocationRequest {
  readonly cloudProvider: string | undefined;
  readonly region: string | undefined;
}

/** Finds the region, with defaults for what is not given. Throws 30 for an unknown provider, 31 for an unknown region. */
export function findLocation(request: LocationRequest, { providers }: FleetConfiguration): Location {
  const provider = request.cloudProvider ? providers.get(request.cloudProvider) : defaultOf(providers);
  if (provider === undefined)
    throw fleetError(
      30,
      `provider ${request.cloudProvider ?? ''} is not supported, supported providers are: ${namesOf(providers)}`,
    );
  const region = request.region ? provider.regions.get(request.region) : defaultOf(provider.regions);
  if (region === undefined)
    throw fleetError(
      31,
      `region ${request.region ?? ''} is not supported for ${provider.name}, supported regions are: ${namesOf(provider.regions)}`,
    );
  return { provider, region };
}

/** Returns the limits of a type in a region. Throws 41 for a type that the region does not offer. */
export function regionLimits({ region }: Location, typeId: string): RegionLimits {
  const limits = region.instanceTypes.get(typeId);
  if (limits !== undefined) return limits;
  throw fleetError(41, `instance type '${typeId}' not supported for region '${region.name}'`);
}

const defaultOf = <Member extends { readonly isDefault: boolean }>(
  members: ReadonlyMap<string, Member>,
): Member | undefined => [...members.values()].find(({ isDefault }) => isDefault);

const namesOf = (members: ReadonlyMap<string, unknown>): string => [...members.keys()].join(', ');
