import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Misbehaviour } from '../../test-broker/broker-script.ts';
import { provisionBody, startTestOsb, type TestOsb } from './test-osb.ts';

let world: TestOsb;
before(async () => {
  world = await startTestOsb();
});
after(() => world[Symbol.asyncDispose]());

const bindBody = { service_id: 'database-id', plan_id: 'database-sync' };
const deletionsOf = (id: string) =>
  world.broker.requests.filter(({ method, url }) => method === 'DELETE' && url.includes(`/${id}?`));
const gone = (id: string) =>
  eventually(() => (world.broker.instances.has(id) || world.broker.bindings.has(id) ? undefined : true), {
    what: `the end of ${id}`,
  });

const nonsense: readonly { why: string; said: Misbehaviour }[] = [
  { why: '201 with garbage', said: { type: 'answer', status: 201, body: 'made it' } },
  { why: '201 with a list', said: { type: 'answer', status: 201, body: [] } },
  { why: '202 with garbage', said: { type: 'answer', status: 202, body: '' } },
  { why: '202 that was not accepted', said: { type: 'answer', status: 202, body: { operation: 'x' } } },
  { why: 'an operation that is a number', said: { type: 'answer', status: 201, body: { operation: 7 } } },
  { why: 'a status that means nothing', said: { type: 'answer', status: 204 } },
];

describe('orphans at a broker are deleted', () => {
  for (const [index, { why, said }] of nonsense.entries()) {
    test(`an instance after ${why}`, async () => {
      const id = `orphan-${index}`;
      world.broker.misbehave(said, { method: 'PUT', acts: true });
      const heard = await world.ask('PUT', `/service_instances/${id}`, {
        body: provisionBody(),
        headers: { 'x-broker-api-originating-identity': 'kubernetes e30=' },
      });
      assert.deepEqual([heard.status, heard.body['error']], [502, 'BrokerError']);
      await gone(id);
      assert.equal(world.registry.instances.get(id), undefined);
      const [deletion] = deletionsOf(id);
      assert.equal(deletion?.headers['x-broker-api-originating-identity'], undefined, 'no originating identity');
    });
  }

  test('a binding after 201 with garbage', async () => {
    await world.ask('PUT', '/service_instances/holder', { body: provisionBody() });
    world.broker.misbehave({ type: 'answer', status: 201, body: 'x' }, { method: 'PUT', acts: true });
    const heard = await world.ask('PUT', '/service_instances/holder/service_bindings/orphan-b', { body: bindBody });
    assert.equal(heard.status, 502);
    await gone('orphan-b');
    assert.equal(world.registry.bindings.get('orphan-b'), undefined);
  });

  test('an instance and a binding that could not be recorded, however often it takes', async () => {
    world.failNextCommit(new ChandleryError('Unavailable', 'the store is away'));
    world.broker.misbehave({ type: 'answer', status: 500 }, { method: 'DELETE', path: /unrecorded/, times: 3 });
    const heard = await world.ask('PUT', '/service_instances/unrecorded', { body: provisionBody() });
    assert.equal(heard.status, 503);
    await gone('unrecorded');
    assert.equal(deletionsOf('unrecorded').length, 4);
    world.failNextCommit(new ChandleryError('Unavailable', 'the store is away'));
    const bound = await world.ask('PUT', '/service_instances/holder/service_bindings/unrecorded-b', { body: bindBody });
    assert.equal(bound.status, 503);
    assert.equal(bound.body['credentials'], undefined);
    await gone('unrecorded-b');
  });
});

describe('what is left alone', () => {
  test('200 with garbage: it may have existed before', async () => {
    world.broker.misbehave({ type: 'answer', status: 200, body: 'x' }, { method: 'PUT' });
    assert.equal((await world.ask('PUT', '/service_instances/alone', { body: provisionBody() })).status, 502);
    assert.deepEqual(deletionsOf('alone'), []);
  });

  test('an instance that came to be known meanwhile', async () => {
    world.failNextCommit(new ChandleryError('Unavailable', 'the store is away'));
    world.broker.misbehave({ type: 'answer', status: 500 }, { method: 'DELETE', path: /saved/ });
    await world.ask('PUT', '/service_instances/saved', { body: provisionBody() });
    await eventually(() => (deletionsOf('saved').length > 0 ? true : undefined), { what: 'a first attempt' });
    await eventually(
      async () => {
        const { status } = await world.ask('PUT', '/service_instances/saved', { body: provisionBody() });
        return status < 300 ? true : undefined;
      },
      { what: 'the platform, trying again' },
    );
    await new Promise(resolve => setTimeout(resolve, 50));
    assert.equal(world.broker.instances.has('saved'), true);
    assert.notEqual(world.registry.instances.get('saved'), undefined);
  });

  test('what a broker will not delete is logged for manual cleanup', async () => {
    world.broker.misbehave({ type: 'answer', status: 201, body: 'x' }, { method: 'PUT', acts: true });
    world.broker.misbehave({ type: 'answer', status: 403, body: {} }, { method: 'DELETE', path: /stubborn/ });
    await world.ask('PUT', '/service_instances/stubborn', { body: provisionBody() });
    await eventually(() => (world.logLines.some(line => line.includes('manual cleanup required')) ? true : undefined), {
      what: 'the line in the log',
    });
    assert.equal(deletionsOf('stubborn').length, 1);
  });
});
