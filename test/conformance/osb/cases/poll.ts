import assert from 'node:assert/strict';
import { type OsbCase, type OsbPlayer, own } from '../support/osb-player.ts';
import { bindBody, idsOf, later, provisionBody } from '../support/requests.ts';
import { withInstance } from './bind.ts';

/** Names of operations that must come back as they were given. */
const operations: Readonly<Record<string, string>> = {
  'a JSON object': '{"BoshTaskID":12,"OperationType":"create","PlanID":"a b&c=d","#":"ü+%20"}',
  'the longest name': 'x'.repeat(10_000),
  blanks: ' a  b ',
};

async function begin(osb: OsbPlayer): Promise<string> {
  const { operation } = await osb.expect(202, 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
  return encodeURIComponent(operation as string);
}

export const pollCases: readonly OsbCase[] = [
  {
    why: 'say "in progress" and when to come back, until the end',
    play: async osb => {
      const path = `${osb.instance('i')}/last_operation`;
      const { operation } = await osb.expect(202, 'PUT', `${osb.instance('i')}?${later}`, {
        body: provisionBody('async'),
      });
      const poll = `${path}?${idsOf('async')}&operation=${encodeURIComponent(operation as string)}`;
      assert.equal((await osb.expect(200, 'GET', poll))['state'], 'in progress');
      assert.equal(osb.last.headers.get('retry-after'), '1');
      assert.equal((await osb.expect(200, 'GET', poll))['state'], 'succeeded');
      assert.equal((await osb.expect(200, 'GET', poll))['state'], 'succeeded');
    },
  },
  {
    why: 'with the name of the operation, without it, and with a wrong one: 400',
    play: async osb => {
      const operation = await begin(osb);
      const path = `${osb.instance('i')}/last_operation`;
      await osb.expect(200, 'GET', `${path}?operation=${operation}`);
      await osb.expect(200, 'GET', path);
      await osb.expect({ status: 400, error: 'BadRequest' }, 'GET', `${path}?operation=wrong`);
      osb.broker.finish(osb.id('i'));
      assert.equal((await osb.expect(200, 'GET', path))['state'], 'succeeded');
    },
  },
  ...Object.entries(operations).map(
    ([what, operation]) =>
      ({
        why: `${what} as the name of an operation comes to the platform and back to the broker unchanged`,
        play: async osb => {
          osb.broker.misbehave({ type: 'answer', status: 202, body: { operation } }, { method: 'PUT', acts: true });
          const path = `${osb.instance('i')}?${later}`;
          assert.equal((await osb.expect(202, 'PUT', path, { body: provisionBody('sync') }))['operation'], operation);
          const again = osb.isDirect
            ? operation
            : (await osb.target.send('PUT', path, { body: provisionBody('sync') })).body?.['operation'];
          assert.equal(again, operation);
          const poll = `${osb.instance('i')}/last_operation?operation=${encodeURIComponent(operation)}`;
          await osb.expect(200, 'GET', poll);
          const heard = new URL(osb.heard('GET').url, 'http://broker');
          assert.equal(heard.searchParams.get('operation'), operation);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'of a creation that failed: the words of the broker; a clean-up works',
    play: async osb => {
      await begin(osb);
      osb.broker.finish(osb.id('i'), 'failed', { description: 'no room left' });
      const body = await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      assert.deepEqual(body, { state: 'failed', description: 'no room left' });
      await osb.expect(404, 'GET', osb.instance('i'));
      await osb.expect(202, 'DELETE', `${osb.instance('i')}?${later}&${idsOf('slow')}`);
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      assert.equal(osb.broker.instances.has(osb.id('i')), false);
    },
  },
  {
    why: 'of what does not exist: 404, for an instance and a binding',
    play: async osb => {
      await osb.expect(404, 'GET', `${osb.instance('nothing')}/last_operation`);
      await osb.expect(404, 'GET', `${osb.binding('nothing', 'b')}/last_operation`);
    },
  },
  ...[500, 503, 410, 404].map(
    status =>
      ({
        why: `that are answered ${status} while something is made are no end: the next one tells`,
        play: async osb => {
          await begin(osb);
          const path = `${osb.instance('i')}/last_operation`;
          const headers = { 'retry-after': '3' };
          osb.broker.misbehave({ type: 'answer', status, body: { description: 'odd' }, headers }, { method: 'GET' });
          await osb.expect(status, 'GET', path);
          assert.equal(osb.last.headers.get('retry-after'), '3');
          assert.equal((await osb.expect(200, 'GET', path))['state'], 'in progress');
          osb.broker.finish(osb.id('i'));
          assert.equal((await osb.expect(200, 'GET', path))['state'], 'succeeded');
          await osb.expect(own(200), 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
        },
      }) satisfies OsbCase,
  ),
  ...['garbage', '[]', '{}', '{"state":"half done"}'].map(
    body =>
      ({
        why: `that are answered ${body} are no end either`,
        play: async osb => {
          await begin(osb);
          const path = `${osb.instance('i')}/last_operation`;
          osb.broker.misbehave({ type: 'answer', status: 200, body }, { method: 'GET' });
          await osb.expect({ status: 200, isOdd: true }, 'GET', path);
          await osb.expect(own(202), 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
          osb.broker.finish(osb.id('i'));
          assert.equal((await osb.expect(200, 'GET', path))['state'], 'succeeded');
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'of a binding, with and without the name of the operation',
    play: async osb => {
      await withInstance(osb, 'slow');
      const path = osb.binding('i', 'b');
      const { operation } = await osb.expect(202, 'PUT', `${path}?${later}`, { body: bindBody('slow') });
      for (const query of ['', `?${idsOf('slow')}&operation=${operation as string}`])
        assert.equal((await osb.expect(200, 'GET', `${path}/last_operation${query}`))['state'], 'in progress');
      osb.broker.finish(osb.id('b'));
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'succeeded');
    },
  },
];
