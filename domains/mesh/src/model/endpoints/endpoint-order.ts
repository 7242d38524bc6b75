import type { Endpoint, EndpointHealth } from '../endpoint.ts';

/** What identifies an endpoint in a list. */
type EndpointPosition = Pick<Endpoint, 'ip' | 'port' | 'portName'>;

/** Compares by address, port, and port name, by code unit, so that the order is the same on every machine. */
export const compareEndpoints = (a: EndpointPosition, b: EndpointPosition): number =>
  compareText(a.ip, b.ip) || a.port - b.port || compareText(a.portName, b.portName);

/** Compares by code unit. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Identifies an endpoint in a list: an address and port may serve several ports of a service. */
export const endpointKey = ({ ip, port, portName }: EndpointPosition): string => `${ip} ${port} ${portName}`;

/** Healthier endpoints have a smaller rank. */
export const healthRank: Readonly<Record<EndpointHealth, number>> = { healthy: 0, draining: 1, unhealthy: 2 };

/** Whether new requests may be sent to the endpoint. */
export const canTakeTraffic = ({ health }: Endpoint): boolean => health === 'healthy';

/** The relative weight among the endpoints of a service. */
export const weightOf = ({ weight = 1 }: Endpoint): number => weight;

/** Whether two endpoints are equal in all fields. */
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
