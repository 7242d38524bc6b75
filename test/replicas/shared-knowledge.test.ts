import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, type TestLandscape } from '@chandlery/testing';
import { runCli } from '../durability/support/run-cli.ts';
import { boatDefinition, boatSchema } from '../security/support/objects.ts';
import { type Replicas, startReplicas } from './start-replicas.ts';

const crd = boatDefinition({
  schema: boatSchema({ type: 'object', properties: { sails: { type: 'integer' } } }),
});

const crds = '/clusters/onboarding/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const boats = '/clusters/onboarding/apis/example.org/v1/namespaces/default/boats';
const boat = (sails: unknown) => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'one' },
  spec: { sails },
});

describe('two replicas', () => {
  let replicas: Replicas;
  let here: TestLandscape;
  let there: TestLandscape;

  before(async () => {
    replicas = await startReplicas(2);
    [here, there] = replicas.all as [TestLandscape, TestLandscape];
  });
  after(() => replicas[Symbol.asyncDispose]());

  test('a kind that is declared on one replica is served by the other, and so is its end', async () => {
    assert.equal((await there.request(boats)).status, 404);
    assert.equal((await here.request(crds, { body: crd })).status, 201);
    await eventually(async () => (await there.request(boats)).status === 200);
    assert.equal((await there.request(boats, { body: boat('two') })).status, 422);
    assert.equal((await there.request(boats, { body: boat(2) })).status, 201);
    assert.equal((await here.request(`${boats}/one`)).json<{ spec: object }>().spec && 'there', 'there');
    assert.equal((await there.request(`${crds}/boats.example.org`, { method: 'DELETE' })).status, 200);
    for (const replica of [here, there]) {
      await eventually(async () => (await replica.request(boats)).status === 404, { timeoutMs: 30_000 });
    }
  });

  test('a right that is given on one replica holds on the other, and so does taking it away', async () => {
    const bindings = '/clusters/onboarding/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    const rbac = 'rbac.authorization.k8s.io';
    const binding = {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'readers' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }],
      roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: rbac },
    };
    const headers = { 'impersonate-user': 'jane' };
    const asJane = async () =>
      (await there.request('/clusters/onboarding/api/v1/namespaces/default/configmaps', { headers })).status;
    assert.equal(await asJane(), 403);
    assert.equal((await here.request(bindings, { body: binding })).status, 201);
    await eventually(async () => (await asJane()) === 200);
    assert.equal((await here.request(`${bindings}/readers`, { method: 'DELETE' })).status, 200);
    await eventually(async () => (await asJane()) === 403);
  });

  test('a namespace that is made on one replica can be used on the other at once', async () => {
    for (let no = 0; no < 20; no++) {
      const name = `n${no}`;
      const made = await here.request('/clusters/onboarding/api/v1/namespaces', {
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      });
      assert.equal(made.status, 201);
      const inside = await there.request(`/clusters/onboarding/api/v1/namespaces/${name}/configmaps`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' } },
      });
      assert.equal(inside.status, 201, inside.text);
    }
  });

  test('a replica with keys of its own is rejected with advice', async () => {
    const { folder, postgres } = replicas;
    const stranger = folder.join('stranger');
    const { code, stderr } = await runCli(
      'up',
      '--data-dir',
      stranger,
      '--port',
      '0',
      '--xds-port',
      '0',
      '--database',
      postgres.url,
    );
    assert.ok(code > 0);
    assert.match(stderr, /keys in .*stranger.* are not those of the landscape/);
    assert.match(stderr, /copy the folder "keys"/);
  });
});
