import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { type OsbCase, type OsbPlayer, own } from '../support/osb-player.ts';
import { idsIn, idsOf, later, provisionBody } from '../support/requests.ts';

const serviceOnly = { service_id: 'database-id' };

async function withInstance(osb: OsbPlayer, plan = 'sync'): Promise<string> {
  await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody(plan) });
  return osb.instance('i');
}

const wrongBodies: Readonly<Record<string, JsonObject>> = {
  'no service': { parameters: {} },
  'a service that is not in the catalog': { service_id: 'no-such-service' },
  'another service than that of the instance': { service_id: 'queue-id' },
  'a plan that is not in the catalog': idsIn('no-such-plan'),
  'a plan of another service': { ...serviceOnly, plan_id: 'queue-sync' },
};

export const updateCases: readonly OsbCase[] = [
  {
    why: 'at once: 200, of parameters, plan and context, and what is not named stays',
    play: async osb => {
      const path = await withInstance(osb);
      await osb.expect(200, 'PATCH', path, { body: { ...serviceOnly, parameters: { size: 2 } } });
      await osb.expect(200, 'PATCH', path, { body: idsIn('shared') });
      await osb.expect(200, 'PATCH', path, { body: { ...serviceOnly, context: { platform: 'p', namespace: 'n' } } });
      await osb.expect(200, 'PATCH', path, { body: serviceOnly });
      const { planId, parameters, context } = osb.broker.instances.get(osb.id('i')) ?? {};
      assert.deepEqual([planId, parameters], ['database-shared', { size: 2 }]);
      assert.equal(context?.['namespace'], 'n');
    },
  },
  {
    why: 'with previous values: they reach the broker',
    play: async osb => {
      const path = await withInstance(osb);
      const previous_values = { plan_id: 'database-sync', service_id: 'database-id', organization_id: 'org' };
      const body = { ...idsIn('rotatable'), previous_values, maintenance_info: { version: '1.0.0' } };
      await osb.expect(200, 'PATCH', path, { body });
      assert.deepEqual(JSON.parse(osb.heard('PATCH').body), body);
    },
  },
  {
    why: 'that takes time: 202, the same again 202 with the same operation, another 422, then 200',
    play: async osb => {
      const path = `${await withInstance(osb)}?${later}`;
      const change = (size: number) => ({ ...idsIn('slow'), parameters: { size } });
      const first = await osb.expect(202, 'PATCH', path, { body: change(5) });
      const again = await osb.expect(own(202), 'PATCH', path, { body: change(5) });
      assert.equal(again['operation'], first['operation']);
      await osb.expect(own(422, 'ConcurrencyError'), 'PATCH', path, { body: change(6) });
      await osb.expect(422, 'GET', osb.instance('i'));
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      assert.equal((await osb.expect(200, 'GET', osb.instance('i')))['plan_id'], 'database-slow');
    },
  },
  {
    why: 'that takes time for a platform that cannot wait: 422 AsyncRequired, and nothing changes',
    play: async osb => {
      const path = await withInstance(osb);
      await osb.expect({ status: 422, error: 'AsyncRequired' }, 'PATCH', path, { body: idsIn('async') });
      assert.equal(osb.broker.instances.get(osb.id('i'))?.planId, 'database-sync');
    },
  },
  {
    why: 'that fails at last leaves the plan as it was',
    play: async osb => {
      const path = `${await withInstance(osb)}?${later}`;
      await osb.expect(202, 'PATCH', path, { body: idsIn('slow') });
      osb.broker.finish(osb.id('i'), 'failed', {
        description: 'no room',
        instance_usable: true,
        update_repeatable: false,
      });
      const poll = await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      assert.deepEqual(poll, {
        state: 'failed',
        description: 'no room',
        instance_usable: true,
        update_repeatable: false,
      });
      await osb.expect(own(200), 'PUT', osb.instance('i'), { body: provisionBody('sync') });
    },
  },
  {
    why: 'refused: what it says of the instance reaches the platform',
    play: async osb => {
      const path = await withInstance(osb);
      const body = { error: 'NoRoom', description: 'no room', instance_usable: false, update_repeatable: false };
      osb.broker.misbehave({ type: 'answer', status: 422, body }, { method: 'PATCH' });
      await osb.expect({ status: 422, error: 'NoRoom' }, 'PATCH', path, { body: idsIn('shared') });
      await osb.expect(own(200), 'PUT', path, { body: provisionBody('sync') });
    },
  },
  {
    why: 'of a plan that cannot be left: the 422 of the broker',
    play: async osb => {
      const queue = { service_id: 'queue-id', plan_id: 'queue-sync' };
      await osb.expect(201, 'PUT', osb.instance('q'), { body: provisionBody('sync', queue) });
      const body = { service_id: 'queue-id', plan_id: 'queue-unbindable' };
      await osb.expect({ status: 422, error: 'PlanChangeNotSupported' }, 'PATCH', osb.instance('q'), { body });
    },
  },
  {
    why: 'of nothing: 404',
    play: async osb => void (await osb.expect(404, 'PATCH', osb.instance('nothing'), { body: serviceOnly })),
  },
  {
    why: 'while it is made or deleted: 422 ConcurrencyError',
    play: async osb => {
      const path = `${osb.instance('i')}?${later}`;
      await osb.expect(202, 'PUT', path, { body: provisionBody('slow') });
      await osb.expect(own(422, 'ConcurrencyError'), 'PATCH', path, { body: serviceOnly });
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      await osb.expect(202, 'DELETE', `${path}&${idsOf('slow')}`);
      await osb.expect(own(422, 'ConcurrencyError'), 'PATCH', path, { body: serviceOnly });
    },
  },
  ...Object.entries(wrongBodies).map(
    ([what, body]) =>
      ({
        why: `${what}: 400, and nothing changes`,
        play: async osb => {
          const path = await withInstance(osb);
          await osb.expect(own(400), 'PATCH', path, { body });
          assert.equal(osb.broker.instances.get(osb.id('i'))?.planId, 'database-sync');
        },
      }) satisfies OsbCase,
  ),
];
