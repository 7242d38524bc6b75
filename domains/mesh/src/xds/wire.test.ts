import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import type { EncodedResource } from '../model/resource.ts';
import { encodeDeltaResponse, encodeWholeResponse } from './wire.ts';

/** Envoy's own definitions. */
function loadEnvoy(): protobuf.Root {
  const home = (name: string): string => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const deps = join(home('@grpc/grpc-js-xds'), 'deps');
  const parts = ['envoy-api', 'googleapis', 'xds', 'protoc-gen-validate'].map(name => join(deps, name));
  const folders = [...parts, home('protobufjs')];
  const root = new protobuf.Root();
  const resolve = root.resolvePath.bind(root);
  root.resolvePath = (origin, target) =>
    folders.map(folder => join(folder, target)).find(path => existsSync(path)) ?? resolve(origin, target);
  return root.loadSync('envoy/service/discovery/v3/discovery.proto');
}

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
/** Unknown types: protobufjs would otherwise decode the value. */
const unknownType = text.map(name => `example.org/none.${name.replaceAll('/', '')}`);
const resource: fc.Arbitrary<EncodedResource> = fc.record({
  type: fc.constant('cluster' as const),
  name: text,
  version: text,
  any: fc
    .record({ typeUrl: unknownType, value: fc.uint8Array({ maxLength: 40_000 }) })
    .map(({ typeUrl, value }) => protobuf.Writer.create().uint32(10).string(typeUrl).uint32(18).bytes(value).finish()),
});
const response = fc.record({
  version: text,
  typeUrl: text,
  nonce: text,
  resources: fc.array(resource, { maxLength: 5 }),
  removed: fc.array(text, { maxLength: 5 }),
});

describe('responses as Envoy reads them', () => {
  let root: protobuf.Root;
  before(() => {
    root = loadEnvoy();
  });
  const read = (type: string, bytes: Uint8Array): Record<string, unknown> =>
    root
      .lookupType(`envoy.service.discovery.v3.${type}`)
      .toObject(root.lookupType(`envoy.service.discovery.v3.${type}`).decode(bytes), { defaults: true, arrays: true });
  const anyOf = ({ any }: EncodedResource): object => root.lookupType('google.protobuf.Any').decode(any).toJSON();
  const plain = (value: unknown): unknown =>
    root
      .lookupType('google.protobuf.Any')
      .fromObject(value as object)
      .toJSON();

  test('whole', () => {
    fc.assert(
      fc.property(response, ({ version, typeUrl, nonce, resources }) => {
        const seen = read('DiscoveryResponse', encodeWholeResponse({ version, typeUrl, nonce, resources }));
        assert.deepEqual([seen.versionInfo, seen.typeUrl, seen.nonce], [version, typeUrl, nonce]);
        assert.deepEqual((seen.resources as unknown[]).map(plain), resources.map(anyOf));
      }),
      { numRuns: 50 },
    );
  });

  test('incremental', () => {
    fc.assert(
      fc.property(response, ({ version, typeUrl, nonce, resources, removed }) => {
        const bytes = encodeDeltaResponse({ version, typeUrl, nonce, resources, removed });
        const seen = read('DeltaDiscoveryResponse', bytes);
        assert.deepEqual([seen.systemVersionInfo, seen.typeUrl, seen.nonce], [version, typeUrl, nonce]);
        assert.deepEqual(seen.removedResources, removed);
        const each = seen.resources as Record<string, unknown>[];
        assert.deepEqual(
          each.map(({ name, version, resource }) => [name, version, plain(resource)]),
          resources.map(resource => [resource.name, resource.version, anyOf(resource)]),
        );
      }),
      { numRuns: 50 },
    );
  });
});
