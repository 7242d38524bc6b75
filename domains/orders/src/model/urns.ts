import { createHash } from 'node:crypto';

/** The kinds of entities that have URNs here. */
export type UrnKind = 'service' | 'order' | 'job' | 'artifact' | 'collection' | 'queue' | 'aspect' | 'account';

/** The policies of records whose author names none. */
export const openPolicy = {
  service: 'urn:ivcap:policy:ivcap.open.service',
  artifact: 'urn:ivcap:policy:ivcap.open.artifact',
  metadata: 'urn:ivcap:policy:ivcap.open.metadata',
} as const;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in lower case, as names of objects are. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** Returns the URN of an entity. */
export const urnOf = (kind: UrnKind, uuid: string): string => `urn:ivcap:${kind}:${uuid}`;

/** Returns the UUID in a URN of a kind; undefined for anything else. The UUID may be in upper case. */
export function parseUrn(kind: UrnKind, urn: string): string | undefined {
  const prefix = `urn:ivcap:${kind}:`;
  if (!urn.startsWith(prefix)) return undefined;
  const uuid = urn.slice(prefix.length).toLowerCase();
  return isUuid(uuid) ? uuid : undefined;
}

/** Returns the URN of a message of a queue. */
export const messageUrn = (queue: string, sequence: number): string => `urn:ivcap:message:${queue}:${sequence}`;

/** The namespace of the UUIDs of accounts. Never changed: accounts are compared by it. */
const accountNamespace = Buffer.from('5f0c6f3e1d0b4c58a4f0b6f1c1b9a7de', 'hex');

/** Returns the URN of a tenant's account: the same for the same name of a namespace, on all landscapes. */
export const accountUrn = (tenant: string): string => urnOf('account', nameUuid(accountNamespace, tenant));

/** The namespace of the UUIDs of orders that are instances with ids of another form. Never changed: they are found by it. */
const instanceNamespace = Buffer.from('9b1d6a6e0f4e4c8f8d7c2a54e1b0c3f7', 'hex');

/** Returns the UUID that stands for the id of an instance. */
export const instanceUuid = (instanceId: string): string => nameUuid(instanceNamespace, instanceId);

/** Returns a UUID of version 5 (RFC 9562). */
function nameUuid(namespace: Uint8Array, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
