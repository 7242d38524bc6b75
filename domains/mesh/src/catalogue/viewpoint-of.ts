import type { Viewpoint } from '../model/endpoints/level-of.ts';
import type { Proxy } from '../ports.ts';

/** Where a proxy is: in the region that it names itself, else in that of its cluster. */
export function viewpointOf(
  { identity: { cluster }, region }: Proxy,
  regionOf: (cluster: string) => string | undefined,
): Viewpoint {
  const where = region || regionOf(cluster);
  return where ? { cluster, region: where } : { cluster };
}

/** The same for all who see endpoints in the same way. */
export const viewpointKey = ({ cluster, region = '' }: Viewpoint): string => `${cluster}|${region}`;
