import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { OsbStage, StagedBroker } from '../../../conformance/osb/support/osb-stage.ts';
import { type CreationFault, creationFaults } from '../support/creation-faults.ts';
import {
  assertAtRest,
  deletionsOf,
  faultCatalog,
  finishWhenBegun,
  impatient,
  makeInstance,
  resourceOf,
  untilState,
} from '../support/fault-world.ts';

/** What the service manager makes as a platform of its own, over `/v1/service_instances` and `/v1/service_bindings`. */
export function describeRestCreations(stage: () => OsbStage): void {
  describe('made over the Service Manager API', () => {
    let shop: StagedBroker;
    let holder = '';
    let count = 0;
    before(async () => {
      shop = await stage().addBroker('rest-creations', { broker: { catalog: faultCatalog() }, limits: impatient });
      holder = await makeInstance(stage(), { name: 'holder', planId: planOf('sync') });
    });
    const planOf = (plan: string): string => shop.plans.get(`database-${plan}`) ?? '';
    const order = async (plan: string): Promise<string> => {
      const body = { name: `rest-${++count}`, service_plan_id: planOf(plan) };
      return resourceOf(await stage().ask('POST', '/v1/service_instances?async=true', body));
    };
    const orderBinding = async (instanceId: string): Promise<string> => {
      const body = { name: `rest-${++count}`, service_instance_id: instanceId };
      return resourceOf(await stage().ask('POST', '/v1/service_bindings?async=true', body));
    };

    for (const { why, fault, isOrphan } of creationFaults) {
      test(`an instance after ${why}`, async () => {
        shop.broker.misbehave(fault, { method: 'PUT', acts: isOrphan });
        const id = await order('sync');
        await untilState(stage(), id, { type: 'create', state: 'failed' });
        await assertEnd(id, { isOrphan, path: `/v1/service_instances/${id}` });
      });

      test(`a binding after ${why}`, async () => {
        shop.broker.misbehave(fault, { method: 'PUT', acts: isOrphan });
        const id = await orderBinding(holder);
        const operation = await untilState(stage(), id, { type: 'create', state: 'failed' });
        assert.doesNotMatch(JSON.stringify(operation), /hush/, 'credentials in an operation');
        await assertEnd(id, { isOrphan, path: `/v1/service_bindings/${id}` });
      });
    }

    /** What may be there was deleted and is forgotten; what was refused is shown as not ready, and nothing was deleted. */
    async function assertEnd(
      id: string,
      { isOrphan, path }: Pick<CreationFault, 'isOrphan'> & { readonly path: string },
    ): Promise<void> {
      assert.equal(shop.broker.instances.has(id) || shop.broker.bindings.has(id), false, 'an orphan');
      assert.equal(deletionsOf(shop.broker, id) > 0, isOrphan);
      const shown = await stage().ask('GET', path);
      assert.deepEqual([shown.status, shown.body['ready']], isOrphan ? [404, undefined] : [200, false]);
      await assertAtRest(stage(), id);
    }

    test('an instance of which the broker says 202 for ever', async () => {
      const id = await order('slow-short');
      await finishWhenBegun(shop.broker, id, 'deprovision');
      await untilState(stage(), id, { type: 'create', state: 'failed' });
      await assertEnd(id, { isOrphan: true, path: `/v1/service_instances/${id}` });
    });

    test('a binding of which the broker says 202 for ever', async () => {
      const instance = await makeInstance(stage(), {
        name: 'slow-holder',
        planId: planOf('slow-short'),
        broker: shop.broker,
      });
      const id = await orderBinding(instance);
      await finishWhenBegun(shop.broker, id, 'unbind');
      await untilState(stage(), id, { type: 'create', state: 'failed' });
      await assertEnd(id, { isOrphan: true, path: `/v1/service_bindings/${id}` });
    });

    test('an instance that fails while it is polled for', async () => {
      shop.broker.misbehave(
        { type: 'fail-operation', details: { description: 'no room' } },
        { path: /last_operation/ },
      );
      const id = await order('slow');
      await finishWhenBegun(shop.broker, id, 'deprovision');
      const operation = await untilState(stage(), id, { type: 'create', state: 'failed' });
      assert.match(JSON.stringify(operation['errors']), /no room/);
      await assertEnd(id, { isOrphan: true, path: `/v1/service_instances/${id}` });
    });

    test('an instance whose polls fail for a while is not given up', async () => {
      for (const fault of [
        { type: 'answer', status: 500 },
        { type: 'drop' },
        { type: 'answer', status: 200, body: 'x' },
      ] as const)
        shop.broker.misbehave(fault, { path: /last_operation/ });
      const id = await makeInstance(stage(), { name: 'patient', planId: planOf('slow'), broker: shop.broker });
      assert.equal((await stage().ask('GET', `/v1/service_instances/${id}`)).body['ready'], true);
    });

    test('an orphan that the broker will not delete at first is deleted in the end', async () => {
      shop.broker.misbehave({ type: 'answer', status: 500 }, { method: 'PUT', acts: true });
      shop.broker.misbehave({ type: 'answer', status: 500 }, { method: 'DELETE' });
      shop.broker.misbehave({ type: 'drop' }, { method: 'DELETE' });
      shop.broker.misbehave({ type: 'answer', status: 200, body: 'garbage' }, { method: 'DELETE' });
      const id = await order('sync');
      await untilState(stage(), id, { type: 'create', state: 'failed' });
      assert.equal(deletionsOf(shop.broker, id), 4);
      await assertEnd(id, { isOrphan: true, path: `/v1/service_instances/${id}` });
    });

    test('an orphan of a broker that has died is deleted when it is back, and is in view until then', async () => {
      shop.broker.misbehave({ type: 'drop' }, { method: 'PUT', acts: true });
      shop.broker.misbehave({ type: 'hang' }, { method: 'DELETE' });
      const id = await order('sync');
      await firstDeletion(id);
      await shop.broker.stop();
      assert.equal((await stage().ask('GET', `/v1/service_instances/${id}`)).status, 200);
      assert.ok(shop.broker.instances.has(id));
      await shop.broker.start();
      await untilState(stage(), id, { type: 'create', state: 'failed' });
      await assertEnd(id, { isOrphan: true, path: `/v1/service_instances/${id}` });
    });

    async function firstDeletion(id: string): Promise<void> {
      await eventually(() => deletionsOf(shop.broker, id) > 0, { what: `a first deletion of ${id}` });
    }
  });
}
