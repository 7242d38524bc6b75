import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { typeUrls } from '../model/resource.ts';
import { startTestServer } from './test-server.ts';

test('a proxy gets the requested resources over mutual TLS, in both protocols', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const connection = await mesh.connect();
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.cluster });
  const first = await stream.next();
  assert.deepEqual(
    first.resources.map(({ name }) => name),
    ['a'],
  );
  stream.ack(first);
  mesh.view.set('cluster', 'b');
  const second = await stream.next();
  assert.deepEqual(second.resources.map(({ name }) => name).sort(), ['a', 'b']);
  const delta = connection.open({ mode: 'delta' });
  delta.sendDelta({ typeUrl: typeUrls.cluster, subscribe: ['b', 'c'] });
  const answer = await delta.next();
  assert.deepEqual([answer.resources.map(({ name }) => name), answer.removed], [['b'], ['c']]);
});

test('the proxy is known while its stream is open and forgotten when it ends', async () => {
  await using mesh = await startTestServer();
  const connection = await mesh.connect({ node: { userAgentName: 'gRPC Node Pure JS', region: 'eu', zone: 'a' } });
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.endpoints, names: ['x'] });
  const [proxy] = await eventually(() =>
    mesh.registry.connected.size === 1 ? [...mesh.registry.connected] : undefined,
  );
  assert.equal(proxy?.nodeId, 'proxy-1');
  assert.equal(proxy?.dialect, 'grpc');
  assert.deepEqual([proxy?.region, proxy?.zone, proxy?.identity.tenant], ['eu', 'a', 'acme']);
  assert.match(proxy?.peer ?? '', /^127\.0\.0\.1:\d+$/);
  assert.equal([...mesh.server.listClients()].length, 1);
  stream.close();
  await eventually(() => mesh.registry.connected.size === 0 && mesh.streams.count === 0);
  assert.equal([...mesh.server.listClients()].length, 0);
});

test('a client that half-closes gets an OK status', async () => {
  await using mesh = await startTestServer();
  const stream = (await mesh.connect()).open();
  stream.finish();
  assert.deepEqual(await stream.ended(), { code: 0, message: '' });
});
