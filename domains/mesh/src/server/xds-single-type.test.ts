import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Client, credentials, status } from '@grpc/grpc-js';
import { resourceTypes, typeUrls } from '../model/resource.ts';
import { decodeResponse, encodeRequest, type ReceivedResponse } from '../test-xds-client/test-messages.ts';
import { typeMethods } from './discovery/discovery-methods.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Fetches once, with the client of the gRPC library. */
async function fetchOnce(mesh: TestServer, path: string, names: readonly string[]): Promise<ReceivedResponse> {
  const { ca, cert = '', key = '' } = mesh.tls();
  const proof = credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert));
  const client = new Client(`127.0.0.1:${mesh.address.port}`, proof, { 'grpc.ssl_target_name_override': 'localhost' });
  try {
    const asItIs = (message: Buffer): Buffer => message;
    const call = promisify<Buffer>(done =>
      client.makeUnaryRequest(
        path,
        asItIs,
        asItIs,
        encodeRequest({ node: { id: 'proxy-1' }, names }),
        (error, answer) => done(error, answer as Buffer),
      ),
    );
    return decodeResponse(await call());
  } finally {
    client.close();
  }
}

for (const type of resourceTypes) {
  test(`${type} are served alone, as a stream, incrementally and once`, async () => {
    await using mesh = await startTestServer();
    mesh.view.set(type, 'a');
    const connection = await mesh.connect();
    const stream = connection.open({ only: type });
    stream.send({ names: ['a'] });
    const delta = connection.open({ only: type, mode: 'delta' });
    delta.sendDelta({ subscribe: ['a'] });
    const path = typeMethods.find(each => each.type === type)?.fetch ?? '';
    for (const response of [await stream.next(), await delta.next(), await fetchOnce(mesh, path, ['a', 'b'])]) {
      assert.equal(response.typeUrl, typeUrls[type]);
      assert.deepEqual(
        response.resources.map(({ name }) => name),
        ['a'],
      );
    }
  });
}

test('a foreign type on a stream of one type is INVALID_ARGUMENT', async () => {
  await using mesh = await startTestServer();
  const stream = (await mesh.connect()).open({ only: 'cluster' });
  stream.send({ typeUrl: typeUrls.route, names: ['a'] });
  assert.equal((await stream.ended()).code, status.INVALID_ARGUMENT);
});
