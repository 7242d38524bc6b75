import type { Endpoint, EndpointHealth } from '../../model/endpoint.ts';
import type { LocalityGroup } from '../../model/locality-group.ts';
import { type EncodedResource, typeUrls } from '../../model/resource.ts';
import { MessageBytes, varintSize, writeVarint } from './protobuf-bytes.ts';
import { versionOf } from './version-of.ts';

/** Values of `envoy.config.core.v3.HealthStatus`. */
const healthStatus: Readonly<Record<EndpointHealth, number>> = { healthy: 1, unhealthy: 2, draining: 3 };

/** Cache of the encoded field `lb_endpoints` by endpoint. */
const encodedEndpoints = new WeakMap<Endpoint, Uint8Array>();

function encodeEndpoint({ ip, port, health, weight }: Endpoint): Uint8Array {
  const socketAddress = new MessageBytes().text(2, ip).number(3, port).finish();
  const address = new MessageBytes().message(1, socketAddress).finish();
  const endpoint = new MessageBytes().message(1, address).finish();
  const lbEndpoint = new MessageBytes().message(1, endpoint).number(2, healthStatus[health]);
  if (weight !== undefined) lbEndpoint.message(4, new MessageBytes().number(1, weight).finish());
  return new MessageBytes().message(2, lbEndpoint.finish()).finish();
}

function endpointBytes(endpoint: Endpoint): Uint8Array {
  const known = encodedEndpoints.get(endpoint);
  if (known) return known;
  const bytes = encodeEndpoint(endpoint);
  encodedEndpoints.set(endpoint, bytes);
  return bytes;
}

/** A `LocalityLbEndpoints` in parts; the endpoints are between head and tail. */
interface GroupParts {
  readonly head: Uint8Array;
  readonly endpoints: readonly Uint8Array[];
  readonly tail: Uint8Array;
  readonly size: number;
}

/** The size of a length-delimited field whose number is below 16. */
const fieldSize = (length: number): number => 1 + varintSize(length) + length;

function groupParts(group: LocalityGroup): GroupParts {
  const locality = new MessageBytes().text(1, group.region).text(2, group.zone).text(3, group.subZone).finish();
  const head = new MessageBytes().message(1, locality).finish();
  const endpoints = group.endpoints.map(endpointBytes);
  const weight = new MessageBytes().number(1, group.weight).finish();
  const tail = new MessageBytes().message(3, weight).number(5, group.priority).finish();
  let size = head.length + tail.length;
  for (const { length } of endpoints) size += length;
  return { head, endpoints, tail, size };
}

const endpointsTag = (2 << 3) | 2;
const typeUrlField = new MessageBytes().text(1, typeUrls.endpoints).finish();

/** Fills a buffer sequentially. */
class Cursor {
  readonly bytes: Uint8Array;
  #offset = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  copy(part: Uint8Array): void {
    this.bytes.set(part, this.#offset);
    this.#offset += part.length;
  }

  header(tag: number, length: number): void {
    this.bytes[this.#offset] = tag;
    this.#offset = writeVarint(this.bytes, this.#offset + 1, length);
  }
}

function writeGroup(cursor: Cursor, { head, endpoints, tail, size }: GroupParts): void {
  cursor.header(endpointsTag, size);
  cursor.copy(head);
  for (const endpoint of endpoints) cursor.copy(endpoint);
  cursor.copy(tail);
}

/**
 * Encodes a `ClusterLoadAssignment`, the resource that changes most, by concatenating cached endpoints. Groups and
 * endpoints must be sorted. An empty list of groups means no endpoints, which differs from a missing resource.
 */
export function encodeEndpoints(name: string, groups: readonly LocalityGroup[]): EncodedResource {
  const nameField = new MessageBytes().text(1, name).finish();
  const parts = groups.map(groupParts);
  const size = parts.reduce((sum, part) => sum + fieldSize(part.size), nameField.length);
  const cursor = new Cursor(typeUrlField.length + fieldSize(size));
  cursor.copy(typeUrlField);
  cursor.header(endpointsTag, size);
  cursor.copy(nameField);
  for (const part of parts) writeGroup(cursor, part);
  return { type: 'endpoints', name, version: versionOf(cursor.bytes), any: cursor.bytes };
}
