import assert from 'node:assert/strict';
import { test } from 'node:test';
import type protobuf from 'protobufjs';
import { loadEnvoyProtos } from './load-envoy-protos.ts';
import { anyToJson } from './proto-json.ts';

interface Samples {
  readonly root: protobuf.Root;
  /** An encoded `Any` of a message type. */
  readonly any: (typeName: string, fields: object) => Buffer;
}

async function createSamples(): Promise<Samples> {
  const root = await loadEnvoyProtos();
  const any = (typeName: string, fields: object): Buffer => {
    const value = root.lookupType(typeName).encode(fields).finish();
    const message = { type_url: `type.googleapis.com/${typeName}`, value };
    return Buffer.from(root.lookupType('google.protobuf.Any').encode(message).finish());
  };
  return { root, any };
}

test('a resource is written with the names of the proto file, its type, and well-known types in their own way', async () => {
  const { root, any } = await createSamples();
  const cluster = any('envoy.config.cluster.v3.Cluster', {
    name: 'a',
    type: 3,
    connect_timeout: { seconds: 1, nanos: 250_000_000 },
    per_connection_buffer_limit_bytes: { value: 7 },
    lb_subset_config: { list_as_any: true },
    metadata: {
      filter_metadata: {
        x: {
          fields: {
            text: { stringValue: 't' },
            none: { nullValue: 0 },
            list: { listValue: { values: [{ boolValue: true }] } },
          },
        },
      },
    },
    typed_extension_protocol_options: {
      known: root.lookupType('google.protobuf.Any').decode(any('envoy.config.core.v3.Locality', { region: 'r' })),
      unknown: { type_url: 'type.googleapis.com/no.Such', value: Buffer.from('hi') },
    },
  });
  assert.deepEqual(anyToJson(cluster, root), {
    '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    name: 'a',
    type: 'EDS',
    connect_timeout: '1.250s',
    per_connection_buffer_limit_bytes: 7,
    lb_subset_config: { list_as_any: true },
    metadata: { filter_metadata: { x: { text: 't', none: null, list: [true] } } },
    typed_extension_protocol_options: {
      known: { '@type': 'type.googleapis.com/envoy.config.core.v3.Locality', region: 'r' },
      unknown: { '@type': 'type.googleapis.com/no.Such', value: 'aGk=' },
    },
  });
});

test('a well-known type inside an Any stands under "value"', async () => {
  const { root, any } = await createSamples();
  assert.deepEqual(anyToJson(any('google.protobuf.Duration', { seconds: 3 }), root), {
    '@type': 'type.googleapis.com/google.protobuf.Duration',
    value: '3s',
  });
});

test('an empty message is an object without fields', async () => {
  const { root, any } = await createSamples();
  assert.deepEqual(anyToJson(any('envoy.config.cluster.v3.Cluster', {}), root), {
    '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  });
});

test('bytes are base64, numbers of 64 bits are texts, zero durations are "0s"', async () => {
  const { root, any } = await createSamples();
  const secret = any('envoy.extensions.transport_sockets.tls.v3.Secret', {
    tls_certificate: { private_key: { inline_bytes: Buffer.from([255]) } },
  });
  assert.deepEqual(anyToJson(secret, root), {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
    tls_certificate: { private_key: { inline_bytes: '/w==' } },
  });
  const stats = any('envoy.config.endpoint.v3.ClusterStats', { total_dropped_requests: 5, load_report_interval: {} });
  assert.deepEqual(anyToJson(stats, root), {
    '@type': 'type.googleapis.com/envoy.config.endpoint.v3.ClusterStats',
    total_dropped_requests: '5',
    load_report_interval: '0s',
  });
});
