import type { Viewpoint } from '../model/endpoints/level-of.ts';
import type { Proxy } from '../ports.ts';

/** The regions of a mesh. */
export interface Places {
  readonly regionOf: (cluster: string) => string | undefined;
  readonly isKnownRegion: (region: string) => boolean;
}

/** The place of a proxy: the region that it claims if the mesh knows it, otherwise that of its cluster. */
export function viewpointOf({ identity: { cluster }, region }: Proxy, places: Places): Viewpoint {
  const own = region !== undefined && places.isKnownRegion(region) ? region : undefined;
  const where = own || places.regionOf(cluster);
  return where ? { cluster, region: where } : { cluster };
}

/** Equal for all viewpoints that see endpoints in the same order. */
export const viewpointKey = ({ cluster, region = '' }: Viewpoint): string => `${cluster}|${region}`;
