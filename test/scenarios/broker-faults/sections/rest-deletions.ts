import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { Misbehaviour } from '../../../../domains/brokers/src/test-broker/broker-script.ts';
import type { OsbStage, StagedBroker } from '../../../conformance/osb/support/osb-stage.ts';
import {
  assertAtRest,
  deletionsOf,
  faultCatalog,
  finishWhenBegun,
  impatient,
  makeBinding,
  makeInstance,
  resourceOf,
  untilState,
} from '../support/fault-world.ts';

const said = (status: number, body: unknown = {}): Misbehaviour => ({ type: 'answer', status, body });

/** Whether the broker has done it or not, it is asked again until it says so. */
const unclear: readonly { readonly why: string; readonly fault: Misbehaviour; readonly acts: boolean }[] = [
  { why: '200 with garbage', fault: said(200, 'x'), acts: true },
  { why: '500 before it was done', fault: said(500), acts: false },
  { why: '500 after it was done', fault: said(500), acts: true },
  { why: '206', fault: said(206), acts: true },
  { why: 'no answer in time', fault: { type: 'hang' }, acts: true },
  { why: 'a dropped connection', fault: { type: 'drop' }, acts: false },
  { why: 'a connection dropped mid-body', fault: { type: 'drop-mid-body' }, acts: true },
];

/** Deletions by the service manager itself. */
export function describeRestDeletions(stage: () => OsbStage): void {
  describe('deleted over the Service Manager API', () => {
    let shop: StagedBroker;
    let count = 0;
    before(async () => {
      shop = await stage().addBroker('rest-deletions', { broker: { catalog: faultCatalog() }, limits: impatient });
    });
    const make = (plan = 'sync', broker?: StagedBroker['broker']): Promise<string> =>
      makeInstance(stage(), {
        name: `deleted-${++count}`,
        planId: shop.plans.get(`database-${plan}`) ?? '',
        ...(broker === undefined ? {} : { broker }),
      });
    const remove = async (path: string): Promise<void> =>
      void resourceOf(await stage().ask('DELETE', `${path}?async=true`));

    for (const { why, fault, acts } of unclear) {
      test(`an instance after ${why}`, async () => {
        const id = await make();
        shop.broker.misbehave(fault, { method: 'DELETE', acts });
        await remove(`/v1/service_instances/${id}`);
        await assertGone(id, `/v1/service_instances/${id}`);
      });

      test(`a binding after ${why}`, async () => {
        const instance = await make();
        const id = await makeBinding(stage(), `binding-${count}`, instance);
        shop.broker.misbehave(fault, { method: 'DELETE', acts });
        await remove(`/v1/service_bindings/${id}`);
        await assertGone(id, `/v1/service_bindings/${id}`);
      });
    }

    async function assertGone(id: string, path: string): Promise<void> {
      await untilState(stage(), id, { type: 'delete', state: 'succeeded' });
      assert.equal(shop.broker.instances.has(id) || shop.broker.bindings.has(id), false);
      assert.equal((await stage().ask('GET', path)).status, 404);
      await assertAtRest(stage(), id);
    }

    for (const status of [400, 403, 409, 422]) {
      test(`refused with ${status}: it failed, and both still have it`, async () => {
        const id = await make();
        shop.broker.misbehave(said(status, { description: 'in use' }), { method: 'DELETE' });
        await remove(`/v1/service_instances/${id}`);
        await untilState(stage(), id, { type: 'delete', state: 'failed' });
        assert.ok(shop.broker.instances.has(id));
        assert.equal((await stage().ask('GET', `/v1/service_instances/${id}`)).body['ready'], true);
        await remove(`/v1/service_instances/${id}`);
        await assertGone(id, `/v1/service_instances/${id}`);
      });
    }

    test('a deletion of which the broker says 202 for ever goes on until it is through', async () => {
      const id = await make('slow-short', shop.broker);
      await remove(`/v1/service_instances/${id}`);
      await eventually(() => deletionsOf(shop.broker, id) > 1, { what: 'a second deletion' });
      await finishWhenBegun(shop.broker, id, 'deprovision');
      await assertGone(id, `/v1/service_instances/${id}`);
    });

    test('a deletion that fails at last is tried again', async () => {
      const id = await make('slow', shop.broker);
      shop.broker.misbehave({ type: 'fail-operation' }, { path: /last_operation/ });
      await remove(`/v1/service_instances/${id}`);
      await finishWhenBegun(shop.broker, id, 'deprovision');
      await assertGone(id, `/v1/service_instances/${id}`);
    });
  });
}
