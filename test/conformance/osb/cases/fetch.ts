import assert from 'node:assert/strict';
import { type OsbCase, own } from '../support/osb-player.ts';
import { bindBody, idsOf, later, provisionBody } from '../support/requests.ts';
import { withInstance } from './bind.ts';

export const fetchCases: readonly OsbCase[] = [
  {
    why: 'an instance, with and without the hints of the query',
    play: async osb => {
      const path = await withInstance(osb);
      for (const query of ['', `?${idsOf('sync')}`]) {
        const body = await osb.expect(200, 'GET', path + query);
        assert.deepEqual([body['service_id'], body['plan_id']], ['database-id', 'database-sync']);
        assert.deepEqual(body['parameters'], { size: 1 });
      }
    },
  },
  {
    why: 'an instance that is being made: 404, and right after "succeeded" 200',
    play: async osb => {
      const path = osb.instance('i');
      await osb.expect(202, 'PUT', `${path}?${later}`, { body: provisionBody('slow') });
      await osb.expect(own(404), 'GET', path);
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${path}/last_operation`);
      await osb.expect(200, 'GET', path);
    },
  },
  {
    why: 'an instance that is being changed: the 422 ConcurrencyError of the broker',
    play: async osb => {
      const path = await withInstance(osb);
      const body = { service_id: 'database-id', plan_id: 'database-slow' };
      await osb.expect(202, 'PATCH', `${path}?${later}`, { body });
      await osb.expect({ status: 422, error: 'ConcurrencyError' }, 'GET', path);
    },
  },
  {
    why: 'nothing: 404 for an instance and for a binding',
    play: async osb => {
      await osb.expect(404, 'GET', osb.instance('nothing'));
      await osb.expect(404, 'GET', osb.binding('nothing', 'nothing'));
      await withInstance(osb);
      await osb.expect(404, 'GET', osb.binding('i', 'nothing'));
    },
  },
  {
    why: 'a binding, as the broker shows it',
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync', { parameters: { role: 'r' } }) });
      const body = await osb.expect(200, 'GET', `${osb.binding('i', 'b')}?${idsOf('sync')}`);
      assert.deepEqual(body['parameters'], { role: 'r' });
    },
  },
];
