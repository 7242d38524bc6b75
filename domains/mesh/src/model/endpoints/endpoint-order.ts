import type { Endpoint, EndpointHealth } from '../endpoint.ts';

/** By address, port, and port name; by code unit, so that the order is the same on every machine. */
export const compareEndpoints = (a: Endpoint, b: Endpoint): number =>
  compareText(a.ip, b.ip) || a.port - b.port || compareText(a.portName, b.portName);

/** By code unit. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What an endpoint is in a list only once: an address and port may serve several ports of a service. */
export const endpointKey = ({ ip, port, portName }: Endpoint): string => `${ip} ${port} ${portName}`;

/** The fitter, the smaller. */
export const healthRank: Readonly<Record<EndpointHealth, number>> = { healthy: 0, draining: 1, unhealthy: 2 };

/** Whether it may be given new requests. */
export const canTakeTraffic = ({ health }: Endpoint): boolean => health === 'healthy';

/** Its share among others that serve the same. */
export const weightOf = ({ weight = 1 }: Endpoint): number => weight;

/** Whether two say the same of everything, so that one may stand for the other. */
export const isSameEndpoint = (a: Endpoint, b: Endpoint): boolean => a === b || fields.every(key => a[key] === b[key]);

const compared: Readonly<Record<keyof Endpoint, true>> = {
  ip: true,
  port: true,
  portName: true,
  health: true,
  cluster: true,
  region: true,
  zone: true,
  weight: true,
  serviceAccount: true,
  accountCluster: true,
  source: true,
};
const fields = Object.keys(compared) as readonly (keyof Endpoint)[];
