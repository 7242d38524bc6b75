import { ChandleryError } from '@chandlery/api';
import type { Endpoint } from '../model/endpoint.ts';
import { canonicalIp } from '../model/endpoints/canonical-ip.ts';

/**
 * Returns an endpoint with its address in canonical form. Throws `InvalidEndpoint` for one that proxies would reject.
 */
export function canonicalEndpoint(endpoint: Endpoint): Endpoint {
  const { port, weight = 1 } = endpoint;
  const ip = canonicalIp(endpoint.ip);
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  if (ip === undefined || !isPort || !Number.isInteger(weight) || weight < 1) throw invalidEndpoint(endpoint);
  return ip === endpoint.ip ? endpoint : { ...endpoint, ip };
}

const invalidEndpoint = ({ ip, port, weight = 1 }: Endpoint): ChandleryError =>
  new ChandleryError('InvalidEndpoint', `"${ip}", port ${port}, weight ${weight}, is not an endpoint`, {
    hint: 'An endpoint has a literal IP address, a port from 1 to 65535, and a positive integer as its weight.',
  });
