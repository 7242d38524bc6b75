import type { Viewpoint } from '../model/endpoints/level-of.ts';
import type { Proxy } from '../ports.ts';

/** What is known of the places of a mesh. */
export interface Places {
  readonly regionOf: (cluster: string) => string | undefined;
  readonly isKnownRegion: (region: string) => boolean;
}

/** Where a proxy is: in the region that it names itself, if there is such a one, else in that of its cluster. */
export function viewpointOf({ identity: { cluster }, region }: Proxy, places: Places): Viewpoint {
  const own = region !== undefined && places.isKnownRegion(region) ? region : undefined;
  const where = own || places.regionOf(cluster);
  return where ? { cluster, region: where } : { cluster };
}

/** The same for all who see endpoints in the same way. */
export const viewpointKey = ({ cluster, region = '' }: Viewpoint): string => `${cluster}|${region}`;
