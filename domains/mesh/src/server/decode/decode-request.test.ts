import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import fc from 'fast-check';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { decodeDeltaDiscoveryRequest, decodeDiscoveryRequest } from './decode-request.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const names = fc.array(text, { maxLength: 5 });
const error = fc.option(fc.record({ code: fc.integer({ min: -2147483648, max: 2147483647 }), message: text }));
const node = fc.option(
  fc.record({
    id: text,
    cluster: text,
    user_agent_name: text,
    locality: fc.record({ region: text, zone: text, sub_zone: text }),
    tenant: text,
    client_features: names,
  }),
);
type NodeSample = NonNullable<typeof node extends fc.Arbitrary<infer T> ? T : never>;

const encodedNode = ({ tenant, ...rest }: NodeSample) => ({
  ...rest,
  metadata: { fields: { tenant: { stringValue: tenant }, age: { numberValue: 7 }, list: { listValue: {} } } },
});

const decodedNode = (sample: NodeSample) => ({
  id: sample.id,
  userAgentName: sample.user_agent_name,
  region: sample.locality.region,
  zone: sample.locality.zone,
  metadata: { tenant: sample.tenant },
});

test('requests for state of the world are read as protobufjs writes them', async () => {
  const type = (await loadEnvoyProtos()).lookupType('envoy.service.discovery.v3.DiscoveryRequest');
  const sample = fc.record({ version: text, names, typeUrl: text, nonce: text, error, node });
  fc.assert(
    fc.property(sample, given => {
      const message = type.encode({
        version_info: given.version,
        resource_names: given.names,
        type_url: given.typeUrl,
        response_nonce: given.nonce,
        ...(given.error && { error_detail: { ...given.error, details: [{ type_url: 'x', value: Buffer.from('y') }] } }),
        ...(given.node && { node: encodedNode(given.node) }),
      });
      assert.deepEqual(decodeDiscoveryRequest(message.finish()), {
        request: {
          versionInfo: given.version,
          resourceNames: given.names,
          typeUrl: given.typeUrl,
          responseNonce: given.nonce,
          ...(given.error && { errorDetail: { ...given.error } }),
        },
        ...(given.node && { node: decodedNode(given.node) }),
      });
    }),
  );
});

test('incremental requests are read as protobufjs writes them', async () => {
  const type = (await loadEnvoyProtos()).lookupType('envoy.service.discovery.v3.DeltaDiscoveryRequest');
  const versions = fc.array(fc.tuple(text, text), { maxLength: 4 }).map(pairs => new Map(pairs));
  const sample = fc.record({ subscribe: names, unsubscribe: names, versions, typeUrl: text, nonce: text, error, node });
  fc.assert(
    fc.property(sample, given => {
      const message = type.encode({
        type_url: given.typeUrl,
        resource_names_subscribe: given.subscribe,
        resource_names_unsubscribe: given.unsubscribe,
        initial_resource_versions: Object.fromEntries(given.versions),
        response_nonce: given.nonce,
        ...(given.error && { error_detail: given.error }),
        ...(given.node && { node: encodedNode(given.node) }),
      });
      assert.deepEqual(decodeDeltaDiscoveryRequest(message.finish()), {
        request: {
          typeUrl: given.typeUrl,
          resourceNamesSubscribe: given.subscribe,
          resourceNamesUnsubscribe: given.unsubscribe,
          initialResourceVersions: given.versions,
          responseNonce: given.nonce,
          ...(given.error && { errorDetail: { ...given.error } }),
        },
        ...(given.node && { node: decodedNode(given.node) }),
      });
    }),
  );
});

for (const decode of [decodeDiscoveryRequest, decodeDeltaDiscoveryRequest]) {
  test(`${decode.name} throws only InvalidMessage, for any bytes`, () => {
    const anything = fc.uint8Array({ maxLength: 200 });
    const likely = fc
      .array(fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 255 })), { maxLength: 60 })
      .map(bytes => Uint8Array.from(bytes));
    fc.assert(
      fc.property(fc.oneof(anything, likely), bytes => {
        try {
          decode(bytes);
        } catch (thrown) {
          assert.ok(isError(thrown, 'InvalidMessage'), String(thrown));
        }
      }),
      { numRuns: 2_000 },
    );
  });
}

const refused: readonly { why: string; bytes: number[] }[] = [
  { why: 'a text that is longer than the message', bytes: [0x0a, 0x05, 0x41] },
  { why: 'a length of ten bytes', bytes: [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01] },
  { why: 'a length that would wrap around', bytes: [0x0a, 0x81, 0x80, 0x80, 0x80, 0x10, 0x41] },
  { why: 'a number without end', bytes: [0x48, ...Array<number>(11).fill(0xff)] },
  { why: 'a number where a text belongs', bytes: [0x08, 0x01] },
  { why: 'a group', bytes: [0x0b, 0x0c] },
  { why: 'field 0', bytes: [0x02, 0x00] },
];

for (const { why, bytes } of refused) {
  test(`a message with ${why} is rejected`, () => {
    assert.throws(() => decodeDiscoveryRequest(Uint8Array.from(bytes)), { code: 'InvalidMessage' });
  });
}

test('a message with more than a hundred thousand names is rejected', () => {
  const name = Buffer.from([0x1a, 0x01, 0x61]);
  const names = (count: number): Buffer => Buffer.concat(Array<Buffer>(count).fill(name));
  assert.equal(decodeDiscoveryRequest(names(100_000)).request.resourceNames.length, 100_000);
  assert.throws(() => decodeDiscoveryRequest(names(100_001)), { code: 'InvalidMessage' });
});

test('a node in two parts is put together', () => {
  const parts = Buffer.from([0x12, 0x03, 0x0a, 0x01, 0x61, 0x12, 0x03, 0x32, 0x01, 0x62]);
  const { node: whole } = decodeDiscoveryRequest(parts);
  assert.equal(whole?.id, 'a');
  assert.equal(whole?.userAgentName, 'b');
});
