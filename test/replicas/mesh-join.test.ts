// What a machine has sent to one replica is of no use at another one, nor after a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestLandscape } from '@chandlery/testing';
import { createJoiner, startTestIssuer } from '../../domains/mesh/src/joins/test-documents.ts';
import { joinPlace } from '../../domains/mesh/src/model/joins/join-proof.ts';
import { createMeshCluster, namespace, object, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { startReplicas } from './start-replicas.ts';

const path = `/mesh/v1/clusters/${tenant}/namespaces/${namespace}/joins`;

async function allowMachines(landscape: TestLandscape): Promise<void> {
  await createMeshCluster(landscape, tenant);
  const create = async (collection: string, body: object): Promise<void> => {
    const answer = await landscape.request(`/clusters/${tenant}/${collection}`, { body });
    assert.equal(answer.status, 201, answer.text);
  };
  const metadata = { name: 'books' };
  await create(`api/v1/namespaces/${namespace}/serviceaccounts`, object('v1', 'ServiceAccount', metadata));
  const spec = { serviceAccount: 'books', google: { project: 'shop-prod' } };
  const rule = object('mesh.chandlery.io/v1alpha1', 'MachineRule', metadata, { spec });
  await create(`apis/mesh.chandlery.io/v1alpha1/namespaces/${namespace}/machinerules`, rule);
}

test('a request of a machine is accepted once, by all replicas and after a restart', async () => {
  await using issuer = await startTestIssuer();
  const env = { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints: { google: issuer.url } }) };
  await using replicas = await startReplicas(2, { env });
  const [here, there] = replicas.all as [TestLandscape, TestLandscape];
  await allowMachines(here);
  const { audience } = (await there.request(path, { token: null })).json<{ audience: string }>();
  const joiner = createJoiner();
  const requestAt = (ms: number) => {
    const place = joinPlace(audience, tenant, namespace);
    const time = new Date(ms).toISOString();
    return joiner.request({ place, rule: 'books', document: issuer.token(audience), time }, { cloud: 'google' });
  };
  const post = async (landscape: TestLandscape, body: object): Promise<number> =>
    (await landscape.request(path, { token: null, body })).status;
  const nowMs = Date.now();
  const first = requestAt(nowMs);
  assert.equal(await post(here, first), 201);
  assert.equal(await post(there, first), 403);
  // At the same time, too, and when the machine has joined before.
  const second = requestAt(nowMs + 1000);
  const statuses = await Promise.all([here, there, here, there].map(landscape => post(landscape, second)));
  assert.deepEqual(statuses.sort(), [201, 403, 403, 403]);
  await there.restart();
  assert.equal(await post(there, first), 403);
  assert.equal(await post(there, second), 403);
  assert.equal(await post(there, requestAt(nowMs + 2000)), 201);
});
