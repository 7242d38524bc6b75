import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { type OsbCase, own } from '../support/osb-player.ts';
import { idsIn, idsOf, later, provisionBody } from '../support/requests.ts';

const differences: Readonly<Record<string, JsonObject>> = {
  plan: provisionBody('rotatable'),
  organization: provisionBody('sync', { organization_guid: 'another' }),
  space: provisionBody('sync', { space_guid: 'another' }),
  parameters: provisionBody('sync', { parameters: { size: 2 } }),
};

const without = (field: string): JsonObject => {
  const { [field]: _left, ...rest } = provisionBody('sync');
  return rest;
};

const wrongBodies: Readonly<Record<string, JsonObject>> = {
  'no service': without('service_id'),
  'no plan': without('plan_id'),
  'no organization': without('organization_guid'),
  'no space': without('space_guid'),
  'an empty service': provisionBody('sync', { service_id: '' }),
  'a service that is not in the catalog': provisionBody('sync', { service_id: 'no-such-service' }),
  'a plan that is not in the catalog': provisionBody('no-such-plan'),
  'a plan of another service': provisionBody('sync', { service_id: 'queue-id' }),
};

export const provisionCases: readonly OsbCase[] = [
  {
    why: 'absent, of a plan that is there at once: 201',
    play: async osb => {
      const body = await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
      assert.equal(typeof body['dashboard_url'], 'string');
      assert.ok(osb.broker.instances.has(osb.id('i')));
    },
  },
  {
    why: 'absent, of a plan that takes time: 202 with an operation and the dashboard',
    play: async osb => {
      const body = await osb.expect(202, 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('async') });
      assert.equal(typeof body['operation'], 'string');
      assert.equal(typeof body['dashboard_url'], 'string');
    },
  },
  {
    why: 'a platform that can wait need not: 201 all the same',
    play: async osb =>
      void (await osb.expect(201, 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('sync') })),
  },
  ...['', '?accepts_incomplete=false', '?accepts_incomplete=TRUE', '?accepts_incomplete='].map(
    query =>
      ({
        why: `a plan that takes time for a platform that cannot wait ("${query}"): 422 AsyncRequired in the very words`,
        play: async osb => {
          const expected = { status: 422, error: 'AsyncRequired' };
          const body = await osb.expect(expected, 'PUT', osb.instance('i') + query, { body: provisionBody('async') });
          assert.match(body['description'] as string, /This service plan requires client support for asynchronous/);
          assert.equal(osb.broker.instances.has(osb.id('i')), false);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'the same while it is made: 202 with the same operation, until it is there: then 200',
    play: async osb => {
      const path = `${osb.instance('i')}?${later}`;
      const first = await osb.expect(202, 'PUT', path, { body: provisionBody('slow') });
      const again = await osb.expect(own(202), 'PUT', path, { body: provisionBody('slow') });
      assert.equal(again['operation'], first['operation']);
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      await osb.expect(own(200), 'PUT', path, { body: provisionBody('slow') });
    },
  },
  {
    why: 'other attributes while it is made: 409, and what is made stays as it is',
    play: async osb => {
      const path = `${osb.instance('i')}?${later}`;
      await osb.expect(202, 'PUT', path, { body: provisionBody('slow') });
      for (const more of [{ parameters: { size: 9 } }, { space_guid: 'another' }])
        await osb.expect(own(409), 'PUT', path, { body: provisionBody('slow', more) });
      await osb.expect(own(409), 'PUT', path, { body: provisionBody('sync') });
      assert.deepEqual(osb.broker.instances.get(osb.id('i'))?.parameters, { size: 1 });
    },
  },
  {
    why: 'while it is updated or deleted: 422 ConcurrencyError',
    play: async osb => {
      const path = `${osb.instance('i')}?${later}`;
      await osb.expect(201, 'PUT', path, { body: provisionBody('sync') });
      await osb.expect(202, 'PATCH', path, { body: idsIn('slow') });
      await osb.expect(own(422, 'ConcurrencyError'), 'PUT', path, { body: provisionBody('sync') });
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      await osb.expect(202, 'DELETE', `${path}&${idsOf('slow')}`);
      await osb.expect(own(422, 'ConcurrencyError'), 'PUT', path, { body: provisionBody('slow') });
    },
  },
  {
    why: 'complete and identical: 200, whatever the order of keys and whatever the context says now',
    play: async osb => {
      const first = await osb.expect(201, 'PUT', osb.instance('i'), {
        body: provisionBody('sync', { parameters: { a: 1, b: { c: [2, { d: 3, e: 4 }] } } }),
      });
      const body = provisionBody('sync', {
        parameters: { b: { c: [2, { e: 4, d: 3 }] }, a: 1 },
        context: { platform: 'kubernetes', instance_name: 'renamed' },
      });
      const again = await osb.expect(own(200), 'PUT', osb.instance('i'), { body });
      assert.equal(again['dashboard_url'], first['dashboard_url']);
      assert.equal(osb.broker.instances.size > 0, true);
    },
  },
  {
    why: 'complete, without parameters: 200 for empty ones',
    play: async osb => {
      await osb.expect(201, 'PUT', osb.instance('i'), { body: without('parameters') });
      await osb.expect(own(200), 'PUT', osb.instance('i'), { body: provisionBody('sync', { parameters: {} }) });
    },
  },
  ...Object.entries(differences).map(
    ([what, body]) =>
      ({
        why: `complete, with another ${what}: 409`,
        play: async osb => {
          await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
          await osb.expect(own(409), 'PUT', osb.instance('i'), { body });
        },
      }) satisfies OsbCase,
  ),
  ...Object.entries(wrongBodies).map(
    ([what, body]) =>
      ({
        why: `${what}: 400, and nothing is made`,
        play: async osb => {
          await osb.expect(own(400), 'PUT', osb.instance('i'), { body });
          assert.equal(osb.broker.instances.has(osb.id('i')), false);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'parameters that the broker refuses by its schema: its own 400',
    play: async osb => {
      const refusal = { error: 'InvalidParameters', description: 'size must be an integer' };
      osb.broker.misbehave({ type: 'answer', status: 400, body: refusal }, { method: 'PUT' });
      const body = provisionBody('sync', { parameters: { size: 'huge' } });
      await osb.expect({ status: 400, error: 'InvalidParameters' }, 'PUT', osb.instance('i'), { body });
      assert.deepEqual(JSON.parse(osb.heard('PUT').body), body);
    },
  },
  {
    why: 'maintenance information reaches the broker, and its conflict the platform',
    play: async osb => {
      const refusal = { error: 'MaintenanceInfoConflict', description: 'fetch the catalog again' };
      osb.broker.misbehave({ type: 'answer', status: 422, body: refusal }, { method: 'PUT' });
      const body = provisionBody('sync', { maintenance_info: { version: '2.1.1+abc' } });
      await osb.expect({ status: 422, error: 'MaintenanceInfoConflict' }, 'PUT', osb.instance('i'), { body });
      assert.deepEqual(JSON.parse(osb.heard('PUT').body), body);
    },
  },
  {
    why: 'an id that was deleted can be used again',
    play: async osb => {
      for (let round = 0; round < 2; round++) {
        await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync', { parameters: { round } }) });
        await osb.expect(200, 'DELETE', `${osb.instance('i')}?${idsOf('sync')}`);
      }
    },
  },
];
