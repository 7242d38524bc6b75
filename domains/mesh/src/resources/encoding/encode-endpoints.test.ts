import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from '../../model/endpoint.ts';
import type { LocalityGroup } from '../../model/locality-group.ts';
import { typeUrls } from '../../model/resource.ts';
import { loadEnvoyProtos } from '../proto/load-envoy-protos.ts';
import { encodeEndpoints } from './encode-endpoints.ts';

const uint32 = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 0xffffffff }));
const endpoint: fc.Arbitrary<Endpoint> = fc.record(
  {
    ip: fc.oneof(fc.ipV4(), fc.ipV6()),
    port: fc.integer({ min: 1, max: 65535 }),
    portName: fc.constant('http'),
    health: fc.constantFrom('healthy', 'unhealthy', 'draining'),
    cluster: fc.constant('c'),
    weight: uint32,
  },
  { requiredKeys: ['ip', 'port', 'portName', 'health', 'cluster'] },
);
const place = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme' }));
const group: fc.Arbitrary<LocalityGroup> = fc.record({
  region: place,
  zone: place,
  subZone: place,
  priority: fc.integer({ min: 0, max: 128 }),
  weight: uint32,
  endpoints: fc.array(endpoint, { maxLength: 30 }),
});

const health = { healthy: 1, unhealthy: 2, draining: 3 };

/** The message without fields that proto3 omits. */
const withoutEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== 0 && value !== undefined));

const messageOf = (name: string, groups: readonly LocalityGroup[]): object => ({
  cluster_name: name,
  endpoints: groups.map(({ region, zone, subZone, priority, weight, endpoints }) =>
    withoutEmpty({
      locality: withoutEmpty({ region, zone, sub_zone: subZone }),
      lb_endpoints: endpoints.map(each =>
        withoutEmpty({
          endpoint: { address: { socket_address: { address: each.ip, port_value: each.port } } },
          health_status: health[each.health],
          load_balancing_weight: each.weight && { value: each.weight },
        }),
      ),
      load_balancing_weight: { value: weight },
      priority,
    }),
  ),
});

test('endpoints are encoded byte for byte as by the reflection of the protos', async () => {
  const root = await loadEnvoyProtos();
  const type = root.lookupType('envoy.config.endpoint.v3.ClusterLoadAssignment');
  const anyType = root.lookupType('google.protobuf.Any');
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.array(group, { maxLength: 5 }), (name, groups) => {
      const message = messageOf(name, groups);
      const value = type.encode(type.fromObject(message)).finish();
      const expected = anyType.encode(anyType.create({ type_url: typeUrls.endpoints, value })).finish();
      const { any } = encodeEndpoints(name, groups);
      assert.deepEqual(Buffer.from(any), Buffer.from(expected));
      const decoded = type.decode((anyType.decode(any) as unknown as { value: Uint8Array }).value);
      assert.deepEqual(
        type.toObject(decoded, { arrays: true }),
        type.toObject(type.fromObject(message), { arrays: true }),
      );
    }),
  );
});

test('equal endpoints have equal bytes and version, whether or not they were encoded before; a change has another', () => {
  const one: Endpoint = { ip: '10.0.0.1', port: 80, portName: '', health: 'healthy', cluster: 'c' };
  const groups = (endpoints: Endpoint[]): LocalityGroup[] => [
    { region: 'r', zone: 'z', subZone: '', priority: 0, weight: 1, endpoints },
  ];
  const first = encodeEndpoints('t/n/s|80', groups([one]));
  assert.deepEqual(encodeEndpoints('t/n/s|80', groups([one])), first);
  assert.deepEqual(encodeEndpoints('t/n/s|80', groups([{ ...one }])), first);
  assert.notEqual(encodeEndpoints('t/n/s|80', groups([{ ...one, health: 'draining' }])).version, first.version);
  assert.match(first.version, /^[0-9a-f]{16}$/);
});
