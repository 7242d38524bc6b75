import { ChandleryError, type JsonObject, type JsonValue } from '@chandlery/api';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { AnnouncedEndpoint, Announcement } from '../../ports/endpoints.ts';

/** Metadata key of the endpoints that a proxy announces. */
export const announceKey = 'mesh.chandlery.io/announce';

/** Above the number of ports of any workload; bounds the memory that one proxy can use. */
const maxEndpoints = 100;

/** The locality of the proxy's node. */
interface NodeLocality {
  readonly region?: string;
  readonly zone?: string;
}

export interface AnnouncingNode {
  /** `node.metadata`, as JSON. */
  readonly metadata: JsonObject;
  readonly identity: ProxyIdentity;
  /** Default: unknown. */
  readonly locality?: NodeLocality;
}

/**
 * Reads the announcements in the metadata of a proxy: `{"mesh.chandlery.io/announce": [{"service": "web", "ip":
 * "10.0.0.1", "ports": {"http": 8080}}]}`, for services of its own namespace; an unnamed port has the empty name. Empty
 * without the key. Throws `InvalidEndpoint`; addresses and access are checked when the endpoints are announced.
 */
export function readAnnouncements({ metadata, identity, locality = {} }: AnnouncingNode): readonly Announcement[] {
  const announced = metadata[announceKey];
  if (announced === undefined || announced === null) return [];
  if (!Array.isArray(announced)) throw malformed('it is not a list');
  const announcements = announced.map(entry => readOne(entry, identity, locality));
  const count = announcements.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  if (count > maxEndpoints) throw malformed(`it has ${count} endpoints, and ${maxEndpoints} are allowed`);
  return announcements;
}

function readOne(entry: JsonValue, identity: ProxyIdentity, { region, zone }: NodeLocality): Announcement {
  if (!isObject(entry)) throw malformed('an entry is not an object');
  const { service, ip, ports } = entry;
  if (typeof service !== 'string' || !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(service))
    throw malformed('an entry has no "service", the name of a service');
  if (typeof ip !== 'string') throw malformed(`"${service}" has no "ip"`);
  if (!isObject(ports)) throw malformed(`"${service}" has no "ports", names and numbers`);
  const where = { ...(region && { region }), ...(zone && { zone }) };
  const endpoints = Object.entries(ports).map(([portName, port]): AnnouncedEndpoint => {
    if (typeof port !== 'number') throw malformed(`the port "${portName}" of "${service}" is not a number`);
    return { ip, port, portName, ...where };
  });
  return { service: { namespace: identity.namespace, name: service }, endpoints, identity };
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const malformed = (why: string): ChandleryError =>
  new ChandleryError('InvalidEndpoint', `"${announceKey}" in the metadata of the node cannot be read: ${why}`, {
    hint: `Write it as [{"service": "web", "ip": "10.0.0.1", "ports": {"http": 8080}}].`,
  });
