import type { EndpointSet } from '../../kinds/endpoint-set.ts';
import type { Endpoint, EndpointHealth } from '../endpoint.ts';
import { canonicalIp } from './canonical-ip.ts';

type SetEndpoint = EndpointSet['spec']['endpoints'][number];

const healthOf: Readonly<Record<SetEndpoint['state'], EndpointHealth>> = {
  Running: 'healthy',
  Starting: 'unhealthy',
  Draining: 'draining',
  Unhealthy: 'unhealthy',
  Stopped: 'unhealthy',
};

/** When the lease of a set expires, in milliseconds; infinity for a set without a lease. */
export const expiryMs = ({ spec: { lease } }: Pick<EndpointSet, 'spec'>): number =>
  lease === undefined ? Number.POSITIVE_INFINITY : Date.parse(lease.renewTime) + lease.durationSeconds * 1000;

/** Whether the inventory has not renewed the lease of a set in time. The endpoints of such a set are not used. */
export const isExpired = (set: Pick<EndpointSet, 'spec'>, nowMs: number): boolean => expiryMs(set) <= nowMs;

/** The endpoints of a set whose lease holds. `accountCluster` has the service accounts. */
export function endpointsOfSet({ metadata, spec }: EndpointSet, accountCluster: string | undefined): Endpoint[] {
  const { cloud = metadata.name ?? '', serviceAccount } = spec;
  const who = serviceAccount && { serviceAccount, ...(accountCluster && { accountCluster }) };
  return spec.endpoints.flatMap(({ ip: text, port, portName, state, weight, zone, source, region = spec.region }) => {
    const ip = canonicalIp(text);
    if (ip === undefined) return [];
    const where = { health: healthOf[state], cluster: cloud, ...(region && { region }), ...(zone && { zone }) };
    return [{ ip, port, portName, ...where, ...(weight > 1 && { weight }), ...who, ...(source && { source }) }];
  });
}
