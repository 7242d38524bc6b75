import assert from 'node:assert/strict';
import type { OsbCase, OsbPlayer } from '../support/osb-player.ts';
import type { Ask, Method } from '../support/osb-target.ts';
import { bindBody, idsOf, later, provisionBody } from '../support/requests.ts';
import { withInstance } from './bind.ts';

/** The statuses of requests that are sent at the same moment, the smallest first. */
async function atOnce(
  osb: OsbPlayer,
  ...asks: readonly (readonly [Method, string, Ask?])[]
): Promise<readonly number[]> {
  const answers = await Promise.all(asks.map(([method, path, ask]) => osb.target.send(method, path, ask)));
  return answers.map(({ status }) => status).sort();
}

export const concurrencyCases: readonly OsbCase[] = [
  {
    why: 'two identical provisions at the same moment make one instance: 201 and 200',
    play: async osb => {
      const ask = ['PUT', osb.instance('i'), { body: provisionBody('sync') }] as const;
      assert.deepEqual(await atOnce(osb, ask, ask), [200, 201]);
      if (!osb.isDirect) assert.equal(osb.callsAbout('PUT', 'i'), 1, 'the broker was asked twice');
    },
  },
  {
    why: 'two identical provisions that take time: 202 twice, with one operation',
    play: async osb => {
      const send = () => osb.target.send('PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
      const answers = await Promise.all([send(), send(), send()]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [202, 202, 202],
      );
      assert.equal(new Set(answers.map(({ body }) => body?.['operation'])).size, 1);
    },
  },
  {
    why: 'two different provisions at the same moment: one 201, the other 409',
    play: async osb => {
      const other = provisionBody('sync', { parameters: { size: 2 } });
      const statuses = await atOnce(
        osb,
        ['PUT', osb.instance('i'), { body: provisionBody('sync') }],
        ['PUT', osb.instance('i'), { body: other }],
      );
      assert.deepEqual(statuses, [201, 409]);
    },
  },
  {
    why: 'two different binds under one id at the same moment: one 201, the other 409',
    play: async osb => {
      await withInstance(osb);
      const other = bindBody('sync', { parameters: { size: 2 } });
      const statuses = await atOnce(
        osb,
        ['PUT', osb.binding('i', 'b'), { body: bindBody('sync') }],
        ['PUT', osb.binding('i', 'b'), { body: other }],
      );
      assert.deepEqual(statuses, [201, 409]);
    },
  },
  {
    why: 'two identical binds at the same moment make one binding',
    play: async osb => {
      await withInstance(osb);
      const ask = ['PUT', osb.binding('i', 'b'), { body: bindBody('sync') }] as const;
      assert.deepEqual(await atOnce(osb, ask, ask), [200, 201]);
    },
  },
  {
    why: 'two identical deletions at the same moment: both are told that it is gone',
    play: async osb => {
      await withInstance(osb);
      const ask = ['DELETE', `${osb.instance('i')}?${idsOf('sync')}`] as const;
      assert.deepEqual(await atOnce(osb, ask, ask), [200, 410]);
      assert.equal(osb.broker.instances.has(osb.id('i')), false);
    },
  },
  {
    why: 'bindings of one instance at the same moment do not stand in the way of each other',
    play: async osb => {
      await withInstance(osb);
      const asks = ['a', 'b', 'c', 'd'].map(
        name => ['PUT', osb.binding('i', name), { body: bindBody('sync') }] as const,
      );
      assert.deepEqual(await atOnce(osb, ...asks), [201, 201, 201, 201]);
    },
  },
];
