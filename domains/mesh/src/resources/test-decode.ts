import type protobuf from 'protobufjs';
import type { EncodedResource } from '../model/resource.ts';

const isPacked = (value: unknown): value is { type_url: string; value: Uint8Array } =>
  typeof value === 'object' && value !== null && 'type_url' in value && 'value' in value;

function unpack(root: protobuf.Root, value: unknown): unknown {
  if (isPacked(value)) {
    const type = root.lookupType(value.type_url.replace(/^type\.googleapis\.com\//, ''));
    return unpack(root, type.toObject(type.decode(value.value), { enums: String, longs: Number }));
  }
  if (Array.isArray(value)) return value.map(item => unpack(root, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unpack(root, item)]));
}

/** A resource as a plain object, with packed messages decoded in place. */
export function decodeResource(root: protobuf.Root, { any }: EncodedResource): Record<string, unknown> {
  const type = root.lookupType('google.protobuf.Any');
  return unpack(root, type.toObject(type.decode(any))) as Record<string, unknown>;
}
