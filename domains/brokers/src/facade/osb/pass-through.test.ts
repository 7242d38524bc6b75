import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { canonicalJson } from '../../model/json.ts';
import { osbErrors } from '../../model/osb/osb-errors.ts';
import { updateRow } from '../../model/rows.ts';
import type { Misbehaviour } from '../../test-broker/broker-script.ts';
import { brokerId, idsOf, provisionBody, startTestOsb, type TestOsb } from './test-osb.ts';

let world: TestOsb;
before(async () => {
  world = await startTestOsb();
});
after(() => world[Symbol.asyncDispose]());

const lastRequest = () => {
  const request = world.broker.requests.at(-1);
  if (request === undefined) throw new Error('the broker received no request');
  return request;
};

describe('the request to the broker', () => {
  test('path, query and body as they came, down to the bytes', async () => {
    const body = `{ "service_id":"database-id",\n"plan_id":"database-sync", "organization_guid":"o","space_guid":"s", "x-vendor": {"big": 12345678901234567890} }`;
    const { status } = await world.ask('PUT', '/service_instances/a%2Fb~c?accepts_incomplete=true&x=%20y', { body });
    assert.equal(status, 201);
    assert.equal(lastRequest().url, '/v2/service_instances/a%2Fb~c?accepts_incomplete=true&x=%20y');
    assert.equal(lastRequest().body, body);
    assert.equal(world.registry.instances.get('a/b~c')?.status.ready, true);
  });

  for (const no of ['TRUE', '1', 'false', '']) {
    test(`nothing of accepts_incomplete=${no}, which is no "true" and yet one to some brokers`, async () => {
      const path = '/service_instances/unknown?x=%20y';
      await world.ask('DELETE', `${path}&accepts_incomplete=${no}&accepts_incomplete&${idsOf()}`);
      assert.equal(lastRequest().url, `/v2${path}&${idsOf()}`);
      await world.ask('DELETE', `/service_instances/unknown?accepts_incomplete=${no}`);
      assert.equal(lastRequest().url, '/v2/service_instances/unknown');
    });
  }

  test('the originating identity and other headers, our credentials, and never those of the platform', async () => {
    const headers = {
      'x-broker-api-originating-identity': 'kubernetes eyJ1c2VybmFtZSI6ImFubiJ9',
      'x-vendor': 'kept',
      cookie: 'session=1',
      'x-chandlery-tenant': 'forged',
    };
    await world.ask('GET', '/service_instances/unknown', { headers });
    const heard = lastRequest().headers;
    assert.equal(heard['x-broker-api-originating-identity'], 'kubernetes eyJ1c2VybmFtZSI6ImFubiJ9');
    assert.equal(heard['x-vendor'], 'kept');
    assert.equal(heard.authorization, `Basic ${Buffer.from('admin:broker-password').toString('base64')}`);
    assert.deepEqual([heard.cookie, heard['x-chandlery-tenant']], [undefined, undefined]);
  });

  test('the identity of the request, which is echoed', async () => {
    const headers = { 'x-broker-api-request-identity': 'request-1' };
    const { headers: echoed } = await world.ask('GET', '/service_instances/unknown', { headers });
    const heard = lastRequest().headers;
    assert.equal(echoed.get('x-broker-api-request-identity'), 'request-1');
    assert.equal(heard['x-broker-api-request-identity'], 'request-1');
    assert.equal(heard['x-correlation-id'], 'request-1');
  });

  test('an identity of ours, where the platform gives none', async () => {
    const { headers: echoed } = await world.ask('GET', '/service_instances/unknown');
    assert.equal(echoed.get('x-broker-api-request-identity'), null);
    assert.equal(lastRequest().headers['x-broker-api-request-identity'], echoed.get('x-correlation-id'));
  });

  test("the platform's version, unless the broker took only an older one, or speaks only one", async () => {
    const { registry } = world;
    const versionFor = async (asked: string) => {
      await world.ask('GET', '/service_instances/unknown', { headers: { 'x-broker-api-version': asked } });
      return lastRequest().headers['x-broker-api-version'];
    };
    const change = async (spec: object, status: object) => {
      const row = registry.brokers.get(brokerId);
      if (row === undefined) throw new Error('no broker');
      const next = { spec: { ...row.spec, ...spec }, status: { ...row.status, ...status } };
      await registry.commit([updateRow({ table: 'brokers', row, ...next })]);
    };
    assert.equal(await versionFor('2.13'), '2.13');
    await change({}, { apiVersion: '2.14' });
    assert.deepEqual([await versionFor('2.13'), await versionFor('2.16')], ['2.13', '2.14']);
    await change({ apiVersion: '2.15' }, {});
    assert.equal(await versionFor('2.13'), '2.15');
  });

  test('what is to be adapted', async () => {
    world.broker.misbehave({ type: 'answer', status: 200, body: { credentials: { a: 1 } } }, { method: 'POST' });
    const path = '/service_instances/unknown/service_bindings/b/adapt_credentials';
    const heard = await world.ask('POST', path, { body: { credentials: { b: 2 } } });
    assert.deepEqual(heard.body, { credentials: { a: 1 } });
    assert.equal(lastRequest().body, '{"credentials":{"b":2}}');
  });
});

describe('the response to the platform', () => {
  const rows: readonly { why: string; said: Misbehaviour; status: number; body: JsonObject }[] = [
    {
      why: 'an error with the name of the broker and all its fields',
      said: { type: 'answer', status: 422, body: { error: 'Odd', description: 'no', vendor: 1 } },
      status: 422,
      body: { error: 'Odd', description: 'Service broker scripted failed with: no', vendor: 1 },
    },
    {
      why: 'that an application is needed, in the only words by which clients know it',
      said: { type: 'answer', status: 422, body: { ...osbErrors.requiresApp, vendor: 1 } },
      status: 422,
      body: { ...osbErrors.requiresApp, vendor: 1 },
    },
    {
      why: 'that it must wait, in the only words by which clients know it',
      said: { type: 'answer', status: 422, body: osbErrors.concurrencyError },
      status: 422,
      body: osbErrors.concurrencyError,
    },
    {
      why: "OSB's own sentence where the broker gives none",
      said: { type: 'answer', status: 422, body: { error: 'AsyncRequired' } },
      status: 422,
      body: osbErrors.asyncRequired,
    },
    {
      why: "the broker's own reason for a refusal that OSB has a word for",
      said: { type: 'answer', status: 422, body: { error: 'ConcurrencyError', description: 'backup' } },
      status: 422,
      body: { error: 'ConcurrencyError', description: 'Service broker scripted failed with: backup' },
    },
    {
      why: 'a 410 of the broker is no failure',
      said: { type: 'answer', status: 410, body: { state: 'succeeded', description: 'deleted' } },
      status: 410,
      body: { state: 'succeeded', description: 'deleted' },
    },
    {
      why: 'an error that is no JSON',
      said: { type: 'answer', status: 500, body: '<html>' },
      status: 500,
      body: { description: 'Service broker scripted responded with invalid JSON: <html>' },
    },
  ];
  for (const { why, said, status, body } of rows) {
    test(why, async () => {
      world.broker.misbehave(said, { method: 'PUT' });
      const heard = await world.ask('PUT', '/service_instances/errors', { body: provisionBody() });
      assert.deepEqual([heard.status, heard.body], [status, body]);
    });
  }

  test('nothing of an unreadable answer that may hold credentials', async () => {
    const binding = (id: string) => `/service_instances/secrets/service_bindings/${id}`;
    const bind = { service_id: 'database-id', plan_id: 'database-sync' };
    await world.ask('PUT', '/service_instances/secrets', { body: provisionBody() });
    const calls = [
      { method: 'PUT', path: binding('made'), body: bind, status: 201, heard: 502 },
      { method: 'PUT', path: binding('begun'), body: bind, status: 202, heard: 502 },
      { method: 'PUT', path: binding('rejected'), body: bind, status: 500, heard: 500 },
      { method: 'GET', path: binding('fetched'), status: 500, heard: 500 },
      { method: 'POST', path: `${binding('adapted')}/adapt_credentials`, body: {}, status: 500, heard: 500 },
    ];
    for (const { method, path, body, status, heard } of calls) {
      world.broker.misbehave({ type: 'answer', status, body: '{"credentials":{"password":"hush"' }, { method });
      const response = await world.ask(method, path, body === undefined ? {} : { body });
      assert.equal(response.status, heard);
      assert.match(response.body['description'] as string, /^Service broker scripted responded with invalid JSON$/);
      assert.doesNotMatch(response.text, /hush/);
    }
    assert.doesNotMatch(world.logLines.join(''), /hush/);
  });

  test('Retry-After of a poll, and no header that is none of its business', async () => {
    const headers = { 'retry-after': '7', 'x-internal': 'yes', 'set-cookie': 'a=b' };
    world.broker.misbehave({ type: 'answer', status: 200, body: { state: 'in progress' }, headers }, { method: 'GET' });
    const heard = await world.ask('GET', '/service_instances/x/last_operation');
    assert.equal(heard.headers.get('retry-after'), '7');
    assert.deepEqual([heard.headers.get('x-internal'), heard.headers.get('set-cookie')], [null, null]);
  });

  const faults: readonly { why: string; fault: Misbehaviour; status: number }[] = [
    { why: 'a broker that hangs up', fault: { type: 'drop' }, status: 502 },
    { why: 'a broker that hangs up in the middle', fault: { type: 'drop-mid-body' }, status: 502 },
    { why: 'a broker that never answers', fault: { type: 'hang' }, status: 504 },
  ];
  for (const { why, fault, status } of faults) {
    test(`${status} for ${why}, and the instance can be deleted afterwards`, async () => {
      const id = `fault-${fault.type}`;
      world.broker.misbehave(fault, { method: 'PUT', acts: true });
      assert.equal((await world.ask('PUT', `/service_instances/${id}`, { body: provisionBody() })).status, status);
      assert.equal(world.registry.instances.get(id), undefined);
      const gone = await world.ask('DELETE', `/service_instances/${id}?${idsOf()}`);
      assert.ok(gone.status === 200 || gone.status === 410, String(gone.status));
      assert.equal(world.broker.instances.has(id), false);
    });
  }

  test('502 for a broker that is not there', async () => {
    await using dead = await startTestOsb();
    await dead.broker.stop();
    const heard = await dead.ask('PUT', '/service_instances/i', { body: provisionBody() });
    assert.deepEqual([heard.status, heard.body['error']], [502, 'ServiceBrokerErr']);
  });

  test('503 with Retry-After in seconds for a broker that was not called: there is nothing to clean up', async () => {
    await using busy = await startTestOsb();
    const row = busy.registry.brokers.get(brokerId);
    if (row === undefined) throw new Error('no broker');
    const spec = { ...row.spec, limits: { callsPerSecond: 0.01, maxWaiting: 0 } };
    await busy.registry.commit([updateRow({ table: 'brokers', row, spec })]);
    const calls = [];
    for (let call = 0; call < 3; call++) calls.push(await busy.ask('GET', '/service_instances/unknown'));
    const last = calls.at(-1);
    assert.deepEqual([last?.status, last?.body['error']], [503, 'ServiceUnavailable']);
    assert.match(last?.headers.get('retry-after') ?? '', /^\d+$/);
  });

  test('one line of audit for each change that was tried, and none for questions', async () => {
    const { audits } = world;
    const from = audits.length;
    await world.ask('GET', '/catalog');
    await world.ask('PUT', '/service_instances/audited', { body: provisionBody(), headers: { 'x-request-id': 'r1' } });
    await world.ask('PUT', '/service_instances/audited', { body: {} });
    const path = `/v1/osb/${brokerId}/v2/service_instances/audited`;
    const [first, second, ...rest] = audits.slice(from);
    assert.ok(first);
    const { latencyMs, userAgent, ...entry } = first;
    const expected = { user: 'k8s', verb: 'create', path, status: 201, correlationId: 'r1' };
    assert.deepEqual(entry, { ...expected, groups: [], sourceIp: '127.0.0.1' });
    assert.ok(latencyMs > 0 && userAgent !== '', JSON.stringify(first));
    assert.deepEqual([second?.status, rest.length], [400, 0]);
  });
});

describe('with a key', () => {
  test('contexts are signed for the broker, and kept without the signature', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const contextPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' });
    await using signing = await startTestOsb({ settings: { contextPrivateKey } });
    await signing.ask('PUT', '/service_instances/i', { body: provisionBody() });
    const body = JSON.parse(signing.broker.requests.at(-1)?.body ?? '') as { context: JsonObject };
    const { signature, ...signed } = body.context;
    assert.equal(signed['service_instance_id'], 'i');
    assert.ok(
      verify('sha256', Buffer.from(canonicalJson(signed)), publicKey, Buffer.from(signature as string, 'base64')),
    );
    assert.deepEqual(signing.registry.instances.get('i')?.status.context, provisionBody()['context']);
  });
});
