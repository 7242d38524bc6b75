import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '@chandlery/api';
import fc from 'fast-check';
import { announceKey } from '../../endpoints/announced/read-announcements.ts';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { decodeDiscoveryRequest } from './decode-request.ts';
import { decodeValue } from './decode-value.ts';
import { WireReader } from './wire-reader.ts';

/** The plain form of protobufjs. */
function plain(value: JsonValue): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'number' || typeof value === 'bigint') return { numberValue: Number(value) };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(plain) } };
  return { structValue: { fields: fieldsOf(value) } };
}

const fieldsOf = (value: JsonObject): object =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each ?? null)]));

async function encoder(): Promise<(value: JsonValue) => WireReader> {
  const type = (await loadEnvoyProtos()).lookupType('google.protobuf.Value');
  return value => new WireReader(type.encode(plain(value)).finish());
}

const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);

test('values are read as protobufjs writes them', async () => {
  const encode = await encoder();
  const value = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true }),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(fc.property(value, given => assert.deepEqual(decodeValue(encode(given)), given)));
});

test('values that are too deep or too large are rejected', async () => {
  const encode = await encoder();
  assert.deepEqual(decodeValue(encode(nested(7))), nested(7));
  for (const given of [nested(8), nested(40), Array.from({ length: 2_000 }, () => 1)])
    assert.throws(() => decodeValue(encode(given)), { code: 'InvalidMessage', message: /too deep or too large/ });
});

test('what a node announces is read from its metadata, and nothing else of it', async () => {
  const type = (await loadEnvoyProtos()).lookupType('envoy.service.discovery.v3.DiscoveryRequest');
  const announcement = [{ service: 'web', ip: '10.0.0.1', ports: { http: 8080 } }];
  const fields = fieldsOf({ [announceKey]: announcement, other: [nested(6)], tenant: 'acme', dialect: 7 });
  const { node } = decodeDiscoveryRequest(type.encode({ node: { id: 'n', metadata: { fields } } }).finish());
  assert.deepEqual(node?.announcement, announcement);
  assert.deepEqual(node.metadata, { tenant: 'acme', dialect: '' });
});
