import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { type OsbCase, type OsbPlayer, own } from '../support/osb-player.ts';
import { bindBody, later, provisionBody } from '../support/requests.ts';

/** An instance of a plan, finished. */
export async function withInstance(osb: OsbPlayer, plan = 'sync', name = 'i'): Promise<string> {
  const path = osb.instance(name);
  const isSlow = plan === 'slow';
  await osb.expect(isSlow ? 202 : 201, 'PUT', `${path}?${later}`, { body: provisionBody(plan) });
  if (!isSlow) return path;
  osb.broker.finish(osb.id(name));
  await osb.expect(200, 'GET', `${path}/last_operation`);
  return path;
}

const differences: Readonly<Record<string, JsonObject>> = {
  parameters: bindBody('sync', { parameters: { role: 'writer' } }),
  application: bindBody('sync', { bind_resource: { app_guid: 'another' }, parameters: { role: 'reader' } }),
};

export const bindCases: readonly OsbCase[] = [
  {
    why: 'absent: 201 with the credentials; identical again: 200 with the same; shown again: the same',
    play: async osb => {
      await withInstance(osb);
      const path = osb.binding('i', 'b');
      const body = bindBody('sync', { bind_resource: { app_guid: 'a' }, parameters: { role: 'reader' } });
      const { credentials } = await osb.expect(201, 'PUT', path, { body });
      assert.equal(typeof (credentials as JsonObject)['password'], 'string');
      assert.deepEqual((await osb.expect(200, 'PUT', path, { body }))['credentials'], credentials);
      assert.deepEqual((await osb.expect(200, 'GET', path))['credentials'], credentials);
    },
  },
  ...Object.entries(differences).map(
    ([what, body]) =>
      ({
        why: `complete, with another ${what}: 409`,
        play: async osb => {
          await withInstance(osb);
          const path = osb.binding('i', 'b');
          await osb.expect(201, 'PUT', path, { body: bindBody('sync', { parameters: { role: 'reader' } }) });
          await osb.expect(own(409), 'PUT', path, { body });
          assert.deepEqual(osb.broker.bindings.get(osb.id('b'))?.parameters, { role: 'reader' });
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'complete, with another context: 200',
    play: async osb => {
      await withInstance(osb);
      const path = osb.binding('i', 'b');
      await osb.expect(201, 'PUT', path, { body: bindBody('sync', { context: { platform: 'p', space_name: 'a' } }) });
      await osb.expect(200, 'PUT', path, { body: bindBody('sync', { context: { platform: 'p', space_name: 'b' } }) });
    },
  },
  {
    why: 'that takes time: 202 without credentials, the same operation again, 404 until it is there, then they can be fetched',
    play: async osb => {
      await withInstance(osb, 'slow');
      const path = osb.binding('i', 'b');
      const first = await osb.expect(202, 'PUT', `${path}?${later}`, { body: bindBody('slow') });
      const again = await osb.expect(own(202), 'PUT', `${path}?${later}`, { body: bindBody('slow') });
      assert.equal(again['operation'], first['operation']);
      const other = bindBody('slow', { parameters: { role: 'writer' } });
      await osb.expect(own(409), 'PUT', `${path}?${later}`, { body: other });
      await osb.expect(own(404), 'GET', path);
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'in progress');
      osb.broker.finish(osb.id('b'));
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'succeeded');
      assert.equal(typeof (await osb.expect(200, 'GET', path))['credentials'], 'object');
    },
  },
  {
    why: 'that takes time and is there before it was polled for: the next bind finds it',
    play: async osb => {
      await withInstance(osb, 'slow');
      const path = `${osb.binding('i', 'b')}?${later}`;
      await osb.expect(202, 'PUT', path, { body: bindBody('slow') });
      osb.broker.finish(osb.id('b'));
      await osb.expect(200, 'GET', `${osb.binding('i', 'b')}/last_operation`);
      assert.equal(typeof (await osb.expect(200, 'PUT', path, { body: bindBody('slow') }))['credentials'], 'object');
    },
  },
  {
    why: 'that fails at last leaves nothing, and the id can be used again after a clean-up',
    play: async osb => {
      await withInstance(osb, 'slow');
      const path = osb.binding('i', 'b');
      await osb.expect(202, 'PUT', `${path}?${later}`, { body: bindBody('slow') });
      osb.broker.finish(osb.id('b'), 'failed', { description: 'no user left' });
      assert.equal((await osb.expect(200, 'GET', `${path}/last_operation`))['state'], 'failed');
      await osb.expect(404, 'GET', path);
      await osb.expect(202, 'PUT', `${path}?${later}`, { body: bindBody('slow', { parameters: { second: true } }) });
    },
  },
  {
    why: 'to nothing: 404',
    play: async osb => void (await osb.expect(404, 'PUT', osb.binding('nothing', 'b'), { body: bindBody('sync') })),
  },
  {
    why: 'to what is still being made or changed: the 422 ConcurrencyError of the broker',
    play: async osb => {
      await osb.expect(202, 'PUT', `${osb.instance('i')}?${later}`, { body: provisionBody('slow') });
      const expected = { status: 422, error: 'ConcurrencyError' };
      await osb.expect(expected, 'PUT', osb.binding('i', 'b'), { body: bindBody('slow') });
      osb.broker.finish(osb.id('i'));
      await osb.expect(200, 'GET', `${osb.instance('i')}/last_operation`);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('slow') });
    },
  },
  {
    why: 'to a plan that cannot be bound: the 400 of the broker',
    play: async osb => {
      const plan = { service_id: 'queue-id', plan_id: 'queue-unbindable' };
      await osb.expect(201, 'PUT', osb.instance('q'), { body: provisionBody('sync', plan) });
      await osb.expect({ status: 400, error: 'BadRequest' }, 'PUT', osb.binding('q', 'b'), { body: plan });
    },
  },
  {
    why: 'without an application where one is needed: the 422 RequiresApp of the broker',
    play: async osb => {
      await withInstance(osb);
      const description = 'This service supports generation of credentials through binding an application only.';
      osb.broker.misbehave(
        { type: 'answer', status: 422, body: { error: 'RequiresApp', description } },
        { method: 'PUT', path: /bindings/ },
      );
      await osb.expect({ status: 422, error: 'RequiresApp' }, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      await osb.expect(404, 'GET', osb.binding('i', 'b'));
    },
  },
  ...[{}, { service_id: 'database-id' }, { plan_id: 'database-sync' }, { service_id: 7, plan_id: 'x' }].map(
    body =>
      ({
        why: `with the body ${JSON.stringify(body)}, which lacks something: 400`,
        play: async osb => {
          await withInstance(osb);
          await osb.expect(own(400), 'PUT', osb.binding('i', 'b'), { body: body as JsonObject });
          assert.equal(osb.broker.bindings.has(osb.id('b')), false);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'with everything that a binding can have: all of it reaches the platform',
    play: async osb => {
      await withInstance(osb);
      const body = {
        credentials: { uri: 'db://x', deep: { a: [1, null] } },
        syslog_drain_url: 'syslog://x',
        route_service_url: 'https://x',
        volume_mounts: [
          { driver: 'd', container_dir: '/d', mode: 'r', device_type: 'shared', device: { volume_id: 'v' } },
        ],
        endpoints: [{ host: 'h', ports: ['443', '9000-9010'], protocol: 'tcp' }],
        metadata: { expires_at: '2031-01-01T00:00:00.0Z', renew_before: '2030-12-01T00:00:00.0Z' },
        'x-vendor': 1,
      };
      osb.broker.misbehave({ type: 'answer', status: 201, body }, { method: 'PUT' });
      assert.deepEqual(await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') }), body);
    },
  },
  {
    why: 'many to one instance, with one id each',
    play: async osb => {
      await withInstance(osb);
      for (const name of ['a', 'b', 'c']) {
        const { credentials } = await osb.expect(201, 'PUT', osb.binding('i', name), { body: bindBody('sync') });
        assert.equal((credentials as JsonObject)['username'], `user-${osb.id(name)}`);
      }
    },
  },
];
