import assert from 'node:assert/strict';
import { type OsbCase, own } from '../support/osb-player.ts';
import { bindBody, idsOf, later } from '../support/requests.ts';
import { withInstance } from './bind.ts';

export const unbindCases: readonly OsbCase[] = [
  {
    why: 'at once: 200 with an empty object, and 410 when it is asked for again',
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      const removal = `${osb.binding('i', 'b')}?${idsOf('sync')}`;
      assert.deepEqual(await osb.expect(200, 'DELETE', removal), {});
      assert.deepEqual(await osb.expect(410, 'DELETE', removal), {});
      await osb.expect(404, 'GET', osb.binding('i', 'b'));
    },
  },
  ...([200, 410] as const).map(
    end =>
      ({
        why: `that takes time: 202, the same operation again, and in the end ${end}`,
        broker: end === 200 ? 'plain' : 'gone',
        play: async osb => {
          await withInstance(osb, 'slow');
          const path = osb.binding('i', 'b');
          await osb.expect(201, 'PUT', path, { body: bindBody('slow') });
          const removal = `${path}?${later}&${idsOf('slow')}`;
          const first = await osb.expect(202, 'DELETE', removal);
          const again = await osb.expect(own(202), 'DELETE', removal);
          assert.equal(again['operation'], first['operation']);
          osb.broker.finish(osb.id('b'));
          await osb.expect(end, 'GET', `${path}/last_operation?operation=${first['operation'] as string}`);
          await osb.expect(410, 'DELETE', removal);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'of nothing, of a binding of nothing: 410',
    play: async osb => {
      await withInstance(osb);
      await osb.expect(410, 'DELETE', `${osb.binding('i', 'nothing')}?${idsOf('sync')}`);
      await osb.expect(410, 'DELETE', `${osb.binding('nothing', 'nothing')}?${idsOf('sync')}`);
    },
  },
  {
    why: 'without the ids of service and plan: the 400 of the broker, and it stays',
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      await osb.expect({ status: 400, error: 'BadRequest' }, 'DELETE', osb.binding('i', 'b'));
      await osb.expect(200, 'GET', osb.binding('i', 'b'));
    },
  },
  {
    why: 'while the instance is changed: the 422 ConcurrencyError of the broker',
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      const change = { service_id: 'database-id', plan_id: 'database-slow' };
      await osb.expect(202, 'PATCH', `${osb.instance('i')}?${later}`, { body: change });
      const removal = `${osb.binding('i', 'b')}?${idsOf('sync')}`;
      await osb.expect({ status: 422, error: 'ConcurrencyError' }, 'DELETE', removal);
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'DELETE', removal);
    },
  },
];
