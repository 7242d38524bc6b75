import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { typeUrls } from '../model/resource.ts';
import { loadEnvoyProtos } from '../resources/proto/load-envoy-protos.ts';
import { testResource } from '../xds/test-view.ts';
import { encodeDeltaResponse, encodeWholeResponse } from '../xds/wire.ts';
import { FrameReader, frameMessage } from './test-grpc-frames.ts';
import {
  decodeDeltaResponse,
  decodeResource,
  decodeResponse,
  encodeDeltaRequest,
  encodeRequest,
} from './test-messages.ts';

async function decode(type: string, message: Uint8Array): Promise<unknown> {
  const found = (await loadEnvoyProtos()).lookupType(`envoy.service.discovery.v3.${type}`);
  return found.toObject(found.decode(message));
}

const node = { id: 'n', userAgentName: 'u', metadata: { tenant: 't' }, region: 'r', zone: 'z' };
const plainNode = {
  id: 'n',
  user_agent_name: 'u',
  metadata: { fields: { tenant: { stringValue: 't' } } },
  locality: { region: 'r', zone: 'z' },
};

test('requests are written as protobufjs reads them', async () => {
  const error = { code: 300, message: 'm' };
  const whole = encodeRequest({ node, typeUrl: 'x', names: ['a', ''], version: '1', nonce: '2', error });
  assert.deepEqual(await decode('DiscoveryRequest', whole), {
    node: plainNode,
    type_url: 'x',
    resource_names: ['a', ''],
    version_info: '1',
    response_nonce: '2',
    error_detail: error,
  });
  const delta = encodeDeltaRequest({
    node,
    typeUrl: 'x',
    subscribe: ['a'],
    unsubscribe: ['b'],
    initialVersions: { c: '1' },
  });
  assert.deepEqual(await decode('DeltaDiscoveryRequest', delta), {
    node: plainNode,
    type_url: 'x',
    resource_names_subscribe: ['a'],
    resource_names_unsubscribe: ['b'],
    initial_resource_versions: { c: '1' },
  });
});

test('responses are read as the server writes them', async () => {
  const root = await loadEnvoyProtos();
  const resource = testResource('cluster', 'a', 'content');
  const response = { version: 'v', nonce: 'n', typeUrl: typeUrls.cluster, resources: [resource], removed: ['b'] };
  const whole = decodeResponse(encodeWholeResponse(response));
  assert.deepEqual([whole.version, whole.nonce, whole.typeUrl, whole.removed], ['v', 'n', typeUrls.cluster, []]);
  const delta = decodeDeltaResponse(encodeDeltaResponse(response));
  assert.deepEqual(delta.removed, ['b']);
  assert.equal(delta.resources[0]?.version, resource.version);
  for (const { resources } of [whole, delta]) {
    assert.deepEqual(
      resources.map(each => [each.name, each.typeUrl, decodeResource(each, root).name]),
      [['a', typeUrls.cluster, 'a']],
    );
  }
});

test('messages are reassembled however the stream is split', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 });
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 20 }), (sent, size) => {
      const stream = Buffer.concat(sent.map(frameMessage));
      const frames = new FrameReader();
      const received: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) received.push(...frames.push(stream.subarray(at, at + size)));
      assert.deepEqual(
        received.map(message => [...message]),
        sent.map(message => [...message]),
      );
    }),
  );
});
