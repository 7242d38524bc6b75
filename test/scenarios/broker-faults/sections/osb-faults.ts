import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { list, type OsbStage, type StagedBroker } from '../../../conformance/osb/support/osb-stage.ts';
import type { Answer, Ask, Method } from '../../../conformance/osb/support/osb-target.ts';
import { bindBody, idsIn, idsOf, later, provisionBody } from '../../../conformance/osb/support/requests.ts';
import { creationFaults } from '../support/creation-faults.ts';
import { assertAtRest, deletionsOf, faultCatalog, impatient } from '../support/fault-world.ts';

/** The same faults as a platform meets them that uses the broker through us. */
export function describeOsbFaults(stage: () => OsbStage): void {
  describe('made and deleted by a platform over OSB', () => {
    let shop: StagedBroker;
    before(async () => {
      shop = await stage().addBroker('osb-faults', { broker: { catalog: faultCatalog() }, limits: impatient });
      await send(201, 'PUT', '/service_instances/osb-holder', { body: provisionBody('sync') });
    });
    async function send(status: number, method: Method, path: string, ask: Ask = {}): Promise<Answer> {
      const answer = await shop.target.send(method, path, ask);
      assert.equal(answer.status, status, answer.text);
      return answer;
    }

    for (const [index, { why, fault, isOrphan, heard }] of creationFaults.entries()) {
      const things = {
        instance: { id: `osb-i${index}`, path: `/service_instances/osb-i${index}`, body: provisionBody('sync') },
        binding: {
          id: `osb-b${index}`,
          path: `/service_instances/osb-holder/service_bindings/osb-b${index}`,
          body: bindBody('sync'),
        },
      };
      for (const [what, { id, path, body }] of Object.entries(things)) {
        test(`${what} after ${why}`, async () => {
          shop.broker.misbehave(fault, { method: 'PUT', acts: isOrphan });
          const answer = await send(heard, 'PUT', path, { body });
          assert.doesNotMatch(what === 'binding' ? answer.text : '', /hush/, 'credentials in a description');
          if (isOrphan) await cleanUp(`${path}?${idsOf('sync')}`);
          assert.equal(shop.broker.instances.has(id) || shop.broker.bindings.has(id), false, 'an orphan');
          assert.equal(deletionsOf(shop.broker, id) > 0, isOrphan);
          assert.equal((await stage().ask('GET', `/v1/service_${what}s/${id}`)).status, 404);
          await assertAtRest(stage(), id);
        });
      }
    }

    /** Cleans up as platforms do after a 5xx response. */
    const cleanUp = (path: string): Promise<true> =>
      eventually(async () => [200, 410].includes((await shop.target.send('DELETE', path)).status), {
        what: `the end of ${path}`,
      });

    test('what cannot be understood is deleted even if the platform does not clean up', async () => {
      shop.broker.misbehave({ type: 'answer', status: 201, body: 'x' }, { method: 'PUT', acts: true });
      await send(502, 'PUT', '/service_instances/osb-careless', { body: provisionBody('sync') });
      await eventually(() => !shop.broker.instances.has('osb-careless'), { what: 'the end of the orphan' });
    });

    test('202 for ever: the platform gives up and deletes, and nothing is left', async () => {
      const path = '/service_instances/osb-endless';
      await send(202, 'PUT', `${path}?${later}`, { body: provisionBody('slow') });
      assert.equal((await send(200, 'GET', `${path}/last_operation`)).body?.['state'], 'in progress');
      await send(202, 'DELETE', `${path}?${later}&${idsOf('slow')}`);
      shop.broker.finish('osb-endless');
      await send(200, 'GET', `${path}/last_operation`);
      assert.equal((await stage().ask('GET', '/v1/service_instances/osb-endless')).status, 404);
      await assertAtRest(stage(), 'osb-endless');
    });

    test('an update that fails in any way leaves the instance in view, with its plan', async () => {
      const path = '/service_instances/osb-updated';
      await send(201, 'PUT', path, { body: provisionBody('sync') });
      for (const { fault, heard } of creationFaults) {
        // It is the right answer that is cut in half, and the change is made before.
        if (fault.type === 'drop-mid-body') continue;
        shop.broker.misbehave(fault, { method: 'PATCH' });
        await send(heard, 'PATCH', path, { body: idsIn('shared') });
        const { status, body } = await stage().ask('GET', '/v1/service_instances/osb-updated');
        assert.deepEqual([status, body['service_plan_id']], [200, shop.plans.get('database-sync')]);
      }
      await assertAtRest(stage(), 'osb-updated');
      assert.equal(
        (await list(stage().ask, 'operations', `resource_id eq 'osb-updated' and type eq 'update'`)).length,
        0,
      );
    });

    test('a deletion that fails in any way leaves the instance in view until the broker says that it is gone', async () => {
      const path = '/service_instances/osb-deleted';
      await send(201, 'PUT', path, { body: provisionBody('sync') });
      for (const { fault, heard } of creationFaults) {
        if (fault.type === 'drop-mid-body') continue;
        shop.broker.misbehave(fault, { method: 'DELETE' });
        await send(heard, 'DELETE', `${path}?${idsOf('sync')}`);
        assert.equal((await stage().ask('GET', '/v1/service_instances/osb-deleted')).status, 200);
      }
      shop.broker.misbehave({ type: 'drop-mid-body' }, { method: 'DELETE' });
      await send(502, 'DELETE', `${path}?${idsOf('sync')}`);
      await send(410, 'DELETE', `${path}?${idsOf('sync')}`);
      assert.equal((await stage().ask('GET', '/v1/service_instances/osb-deleted')).status, 404);
    });
  });
}
