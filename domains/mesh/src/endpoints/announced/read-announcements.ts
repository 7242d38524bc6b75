import { ChandleryError, type JsonObject, type JsonValue } from '@chandlery/api';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { AnnouncedEndpoint, Announcement } from '../../ports/endpoints.ts';

/** The key in a node's metadata under which a proxy says what it serves. */
export const announceKey = 'mesh.chandlery.io/announce';

/** More ports than any workload has; a proxy cannot fill the memory of the control plane. */
const maxEndpoints = 100;

/** Where the proxy is, as far as its node says. */
interface NodeLocality {
  readonly region?: string;
  readonly zone?: string;
}

export interface AnnouncingNode {
  /** `node.metadata`, as JSON. */
  readonly metadata: JsonObject;
  readonly identity: ProxyIdentity;
  /** Default: not known. */
  readonly locality?: NodeLocality;
}

/**
 * What a proxy announces by its metadata:
 * `{"mesh.chandlery.io/announce": [{"service": "web", "ip": "10.0.0.1", "ports": {"http": 8080}}]}`, for services of its own
 * namespace; an unnamed port has the empty name. Nothing when it says nothing. Throws `InvalidEndpoint`; whether the
 * addresses are good and the service is its own is looked at when they are announced.
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
