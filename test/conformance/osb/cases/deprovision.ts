import assert from 'node:assert/strict';
import { type OsbCase, type OsbPlayer, own } from '../support/osb-player.ts';
import { idsIn, idsOf, later, provisionBody } from '../support/requests.ts';

/** An instance of a plan that takes time, finished. */
async function withSlowInstance(osb: OsbPlayer): Promise<string> {
  await osb.expect(202, 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
  osb.broker.finish(osb.id('i'));
  await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
  return osb.instance('i');
}

/** Deletes in the background and follows to the end. */
async function deleteSlowly(osb: OsbPlayer, end: 200 | 410): Promise<void> {
  const path = await withSlowInstance(osb);
  const removal = `${path}?${later}&${idsOf('slow')}`;
  const first = await osb.expect(202, 'DELETE', removal);
  const again = await osb.expect(own(202), 'DELETE', removal);
  assert.equal(again['operation'], first['operation']);
  const poll = `${path}/last_operation?operation=${encodeURIComponent(first['operation'] as string)}`;
  assert.equal((await osb.expect(200, 'GET', poll))['state'], 'in progress');
  osb.broker.finish(osb.id('i'));
  const ended = await osb.expect(end, 'GET', poll);
  if (end === 200) assert.equal(ended['state'], 'succeeded');
  await osb.expect(410, 'DELETE', removal);
  await osb.expect(404, 'GET', path);
}

export const deprovisionCases: readonly OsbCase[] = [
  {
    why: 'at once: 200 with an empty object, and 410 when it is asked for again',
    play: async osb => {
      await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
      assert.deepEqual(await osb.expect(200, 'DELETE', `${osb.instance('i')}?${idsOf('sync')}`), {});
      assert.deepEqual(await osb.expect(410, 'DELETE', `${osb.instance('i')}?${idsOf('sync')}`), {});
      await osb.expect(404, 'GET', osb.instance('i'));
    },
  },
  {
    why: 'that takes time, with a broker that ends with "succeeded"',
    play: osb => deleteSlowly(osb, 200),
  },
  {
    why: 'that takes time, with a broker that ends with 410',
    broker: 'gone',
    play: osb => deleteSlowly(osb, 410),
  },
  {
    why: 'that takes time for a platform that cannot wait: 422 AsyncRequired, and it stays',
    play: async osb => {
      const path = await withSlowInstance(osb);
      await osb.expect({ status: 422, error: 'AsyncRequired' }, 'DELETE', `${path}?${idsOf('slow')}`);
      await osb.expect(200, 'GET', path);
    },
  },
  {
    why: 'while it is made: the broker may accept, and then the polls are about the deletion',
    play: async osb => {
      const path = osb.instance('i');
      await osb.expect(202, 'PUT', `${path}?${later}`, { body: provisionBody('slow') });
      await osb.expect(202, 'DELETE', `${path}?${later}&${idsOf('slow')}`);
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'in progress');
      osb.broker.finish(osb.id('i'));
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'succeeded');
      assert.equal(osb.broker.instances.has(osb.id('i')), false);
      await osb.expect(410, 'DELETE', `${path}?${later}&${idsOf('slow')}`);
    },
  },
  {
    why: 'while it is updated: the 422 ConcurrencyError of the broker',
    play: async osb => {
      const path = await withSlowInstance(osb);
      await osb.expect(202, 'PATCH', `${path}?${later}`, { body: { ...idsIn('slow'), parameters: { size: 2 } } });
      const removal = `${path}?${later}&${idsOf('slow')}`;
      await osb.expect({ status: 422, error: 'ConcurrencyError' }, 'DELETE', removal);
      osb.broker.finish(osb.id('i'));
      await osb.expect(202, 'DELETE', removal);
    },
  },
  {
    why: 'that fails at last: the instance stays, and can be deleted again',
    play: async osb => {
      const path = await withSlowInstance(osb);
      const removal = `${path}?${later}&${idsOf('slow')}`;
      await osb.expect(202, 'DELETE', removal);
      osb.broker.finish(osb.id('i'), 'failed', { description: 'stuck', instance_usable: false });
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'failed');
      await osb.expect(202, 'DELETE', removal);
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${path}/last_operation`);
      assert.equal(osb.broker.instances.has(osb.id('i')), false);
    },
  },
  {
    why: 'refused: the instance stays, and what the broker says of it reaches the platform',
    play: async osb => {
      await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
      const body = { error: 'InUse', description: 'in use', instance_usable: false };
      osb.broker.misbehave({ type: 'answer', status: 400, body }, { method: 'DELETE' });
      const removal = `${osb.instance('i')}?${idsOf('sync')}`;
      await osb.expect({ status: 400, error: 'InUse' }, 'DELETE', removal);
      await osb.expect(200, 'DELETE', removal);
    },
  },
  ...['', '?service_id=database-id', '?plan_id=database-sync', '?service_id=&plan_id='].map(
    query =>
      ({
        why: `with the query "${query}", which lacks something: 400, and it stays`,
        play: async osb => {
          await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
          await osb.expect({ status: 400, error: 'BadRequest' }, 'DELETE', osb.instance('i') + query);
          assert.ok(osb.broker.instances.has(osb.id('i')));
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'of nothing: 410',
    play: async osb => void (await osb.expect(410, 'DELETE', `${osb.instance('nothing')}?${idsOf('sync')}`)),
  },
  {
    why: 'by a broker that says nothing more than 200, or 410: both are the end',
    play: async osb => {
      for (const status of [200, 410]) {
        await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') });
        osb.broker.misbehave({ type: 'answer', status, body: '' }, { method: 'DELETE', acts: true });
        await osb.expect({ status, isOwn: true }, 'DELETE', `${osb.instance('i')}?${idsOf('sync')}`);
        await osb.expect(404, 'GET', osb.instance('i'));
      }
    },
  },
];
