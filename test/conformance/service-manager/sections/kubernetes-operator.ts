import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertStatus, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, resourceIdOf } from '../support/operations.ts';
import { openShop, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Section 19, OP: what an operator on Kubernetes asks for, in its own words. */
export function kubernetesOperator(stage: Stage): void {
  describe('an operator on Kubernetes', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    test('finds an offering by its name and no data center', async () => {
      const offering = await stage.get(`/v1/service_offerings/${shop.offerings['database']}`);
      const named = `catalog_name eq '${textAt(offering, 'catalog_name')}'`;
      const found = (dataCenter: string) =>
        stage.get(withQuery('/v1/service_offerings', { fieldQuery: `${named} and data_center eq '${dataCenter}'` }));
      assert.deepEqual(itemsOf(await found('')).map(idOf), [shop.offerings['database']]);
      assert.deepEqual(itemsOf(await found('elsewhere')), []);
    });
    test('finds what it has made although the answer was lost', async () => {
      const name = stage.name('instance');
      const body = { name, service_plan_id: shop.plan('database/async'), labels: labelsOf('shop') };
      const created = await stage.post('/v1/service_instances', body);
      assertStatus(created, 202);
      const found = await recover(stage, '/v1/service_instances', name);
      assert.deepEqual(found.map(idOf), [resourceIdOf(created)], 'at once');
      assert.equal((found[0]?.['last_operation'] as Body)['type'], 'create');
      await ended(stage, created);
      assert.deepEqual((await recover(stage, '/v1/service_instances', name)).map(idOf), [resourceIdOf(created)]);
      await recoversBinding(stage, resourceIdOf(created));
    });
  });
}

async function recoversBinding(stage: Stage, instanceId: string): Promise<void> {
  const name = stage.name('binding');
  const body = { name, service_instance_id: instanceId, labels: labelsOf('shop') };
  const created = await stage.post('/v1/service_bindings?async=false', body);
  assertStatus(created, 201);
  assert.deepEqual((await recover(stage, '/v1/service_bindings', name)).map(idOf), [textAt(created, 'id')]);
}

const idOf = ({ id }: Body): unknown => id;

const labelsOf = (name: string): Body => ({ _clusterid: ['cluster-1'], _namespace: ['default'], _k8sname: [name] });

async function recover(stage: Stage, path: string, name: string): Promise<readonly Body[]> {
  const found = (clusterId: string) =>
    stage.get(
      withQuery(path, {
        fieldQuery: `name eq '${name}' and context/clusterid eq '${clusterId}' and context/namespace eq 'default'`,
        labelQuery: "_k8sname eq 'shop'",
        attach_last_operations: 'true',
      }),
    );
  assert.deepEqual(itemsOf(await found('cluster-2')), [], 'nothing of another cluster');
  return itemsOf(await found('cluster-1'));
}
