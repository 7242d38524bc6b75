import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually, startTestLandscape, type TestCluster, type TestLandscape } from '@chandlery/testing';

const crdPath = join(import.meta.dirname, 'stories/files/crd.yaml');

describe('logical clusters know nothing of each other', () => {
  let landscape: TestLandscape;
  let crimson: TestCluster;
  let azure: TestCluster;
  before(async () => {
    landscape = await startTestLandscape();
    [crimson, azure] = await Promise.all([landscape.createCluster('crimson'), landscape.createCluster('azure')]);
  });
  after(() => landscape[Symbol.asyncDispose]());

  /** Runs kubectl, which must succeed, and returns what it printed. */
  async function run(cluster: TestCluster, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await cluster.kubectl(args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }

  /** Everything that can be listed in a logical cluster, with its revision. */
  async function contentsOf(cluster: TestCluster): Promise<string> {
    const kinds = await run(cluster, 'api-resources', '--verbs=list', '-o', 'name');
    const columns =
      'KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,VERSION:.metadata.resourceVersion,UID:.metadata.uid';
    return run(cluster, 'get', kinds.split('\n').join(','), '-A', '-o', `custom-columns=${columns}`);
  }

  test('whatever happens in one leaves the other as it was', async () => {
    const untouched = await contentsOf(azure);
    await run(crimson, 'create', 'namespace', 'shop');
    await run(crimson, 'create', 'configmap', 'mine', '-n', 'shop');
    await run(crimson, 'label', 'namespace', 'default', 'painted=crimson');
    await run(crimson, 'create', 'clusterrolebinding', 'jane', '--clusterrole=cluster-admin', '--user=jane');
    await run(crimson, 'apply', '-f', crdPath);
    await run(crimson, 'delete', 'namespace', 'shop');
    assert.equal(await contentsOf(azure), untouched);
  });

  test('a kind defined in one is unknown in the other, or another kind', async () => {
    await run(crimson, 'apply', '-f', crdPath);
    await run(crimson, 'wait', '--for=condition=Established', 'crd/boats.harbour.example.com');
    const unknown = await azure.kubectl(['get', 'boats']);
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'error: the server doesn\'t have a resource type "boats"\n']);
    assert.match((await azure.kubectl(['explain', 'boat'])).stderr, /doesn't have a resource type "boat"/);
    const own = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.harbour.example.com' },
      spec: {
        group: 'harbour.example.com',
        names: { plural: 'boats', kind: 'Barque' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    assert.equal((await azure.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(own) })).code, 0);
    await run(azure, 'wait', '--for=condition=Established', 'crd/boats.harbour.example.com');
    assert.match(await run(azure, 'explain', 'boats'), /KIND: +Barque/);
    assert.match(await run(crimson, 'explain', 'boats'), /KIND: +Boat/);
    await run(azure, 'delete', 'crd', 'boats.harbour.example.com');
    assert.match(await run(crimson, 'explain', 'boats'), /KIND: +Boat/);
  });

  test('a watch over everything in one never gets events of the other', async () => {
    await using watch = await azure.startKubectl(['get', 'configmaps', '-A', '-w', '-o', 'name', '--watch-only=false']);
    await run(crimson, 'create', 'configmap', 'loud');
    await run(azure, 'create', 'configmap', 'before');
    await run(crimson, 'delete', 'configmap', 'loud');
    await run(azure, 'create', 'configmap', 'after');
    await watch.waitForOutput(/configmap\/after/);
    assert.deepEqual(
      watch
        .output()
        .trim()
        .split('\n')
        .filter(line => !/\/(before|after)$/.test(line)),
      [],
    );
  });

  test('a service account has no identity in the other', async () => {
    await run(crimson, 'create', 'serviceaccount', 'robot');
    await run(azure, 'create', 'serviceaccount', 'robot');
    for (const cluster of [crimson, azure]) {
      await run(
        cluster,
        'create',
        'clusterrolebinding',
        'robot',
        '--clusterrole=cluster-admin',
        '--serviceaccount=default:robot',
      );
    }
    const token = await run(crimson, 'create', 'token', 'robot');
    const path = '/api/v1/namespaces/default/configmaps';
    assert.equal((await landscape.request(`/clusters/crimson${path}`, { token })).status, 200);
    assert.equal((await landscape.request(`/clusters/azure${path}`, { token })).status, 401);
    assert.equal((await landscape.request(`/clusters/platform${path}`, { token })).status, 401);
  });

  test('roles of one say nothing in the other', async () => {
    await run(crimson, 'create', 'rolebinding', 'ann', '--clusterrole=admin', '--user=ann');
    assert.equal((await crimson.kubectl(['auth', 'can-i', 'get', 'secrets', '--as=ann'])).stdout, 'yes\n');
    assert.equal((await azure.kubectl(['auth', 'can-i', 'get', 'secrets', '--as=ann'])).stdout, 'no\n');
  });

  test('an owner is looked for in the own logical cluster only', async () => {
    await run(crimson, 'create', 'configmap', 'owner');
    const uid = await run(crimson, 'get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}');
    const child = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'child', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] },
    };
    for (const cluster of [crimson, azure]) {
      assert.equal((await cluster.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(child) })).code, 0);
    }
    assert.equal((await azure.kubectl(['wait', '--for=delete', 'configmap/child', '--timeout=10s'])).code, 0);
    await run(crimson, 'get', 'configmap', 'child');
  });

  test('a logical cluster that is deleted takes its objects with it, and only those', async () => {
    const gone = await landscape.createCluster('gone');
    await run(gone, 'create', 'configmap', 'kept');
    await run(azure, 'create', 'configmap', 'kept');
    const platform = landscape.cluster('platform');
    await run(platform, 'delete', 'logicalcluster', 'gone', '--timeout=20s');
    assert.equal((await landscape.request('/clusters/gone/api/v1/configmaps')).status, 404);
    await run(azure, 'get', 'configmap', 'kept');
    await eventually(async () => !(await run(platform, 'config', 'get-contexts', '-o', 'name')).includes('gone'));
    const again = await landscape.createCluster('gone');
    assert.equal(await run(again, 'get', 'configmaps', '-A', '-o', 'name'), '');
  });
});
