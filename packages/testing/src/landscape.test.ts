import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestLandscape } from './landscape.ts';

test('a test landscape serves, survives losing power, and keeps its address and data', async () => {
  await using landscape = await startTestLandscape();
  const shop = await landscape.createCluster('shop');
  const made = await shop.kubectl(['create', 'configmap', 'kept', '--from-literal=a=1']);
  assert.deepEqual([made.code, made.stdout], [0, 'configmap/kept created\n'], made.stderr);
  const { url, process } = landscape;

  assert.equal((await landscape.kill9()).signal, 'SIGKILL');
  await landscape.restart();

  assert.equal(landscape.url, url);
  assert.notEqual(landscape.process.pid, process.pid);
  const answer = await landscape.request('/clusters/shop/api/v1/namespaces/default/configmaps/kept');
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json<{ data: object }>().data, { a: '1' });
  assert.equal((await landscape.request('/clusters/shop/api/v1/nodes', { token: null })).status, 403);
  assert.equal((await landscape.stop()).code, 0);
});
