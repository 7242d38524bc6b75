import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import { type Answer, assertError, assertStatus, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, gone, operationWhere, resourceIdOf, resourceWhere } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { brokerCredentials, openPlan, openShop, provision, type Shop, startBroker } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_brokers';
const secret = brokerCredentials.basic.password;

/** Sections 4.1, 5.2 and 13: brokers. */
export function brokers(stage: Stage): void {
  describe('brokers', () => {
    registration(stage);
    refusals(stage);
    background(stage);
    change(stage);
    deletion(stage);
  });
}

const register = (stage: Stage, url: string, more: Body = {}, query = ''): Promise<Answer> =>
  stage.post(path + query, { name: stage.name('broker'), broker_url: url, credentials: brokerCredentials, ...more });

/** A broker whose catalog has names of its own. */
const freshBroker = (stage: Stage) => startBroker(stage, { catalog: defaultCatalog(stage.name('')) });

function registration(stage: Stage): void {
  outcome(
    stage,
    [`POST ${path} 201`, `GET ${path}/:id 200`, `GET ${path} 200`],
    'are registered with their catalog, and show no credentials (deviation: POST does not echo them)',
    async () => {
      const broker = await freshBroker(stage);
      const created = await register(stage, broker.url, { description: 'd', labels: { a: ['1'] } });
      assertStatus(created, 201);
      const { ready, description, broker_url: url, labels } = created.body;
      assert.deepEqual([ready, description, url, labels], [true, 'd', broker.url, { a: ['1'] }]);
      const id = textAt(created, 'id');
      const read = await stage.get(`${path}/${id}`);
      const listed = await stage.get(withQuery(path, { fieldQuery: `id eq '${id}'` }));
      for (const answer of [created, read, listed]) {
        assert.doesNotMatch(answer.text, new RegExp(`${secret}|"credentials"`));
      }
      assert.equal(textAt(read, 'last_operation', 'state'), 'succeeded');
      const offerings = await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${id}'` }));
      assert.equal(offerings.body['num_items'], 2);
    },
  );
  test('are asked for their catalog with their credentials and a version', async () => {
    const broker = await freshBroker(stage);
    assertStatus(await register(stage, broker.url), 201);
    const [asked] = broker.requests;
    assert.equal(asked?.url, '/v2/catalog');
    assert.match(String(asked.headers['x-broker-api-version']), /^2\.1\d$/);
  });
  test('of an older version are asked in theirs', async () => {
    const broker = await freshBroker(stage);
    broker.misbehave({ type: 'answer', status: 412, body: {} }, { times: 3 });
    const created = await register(stage, broker.url);
    assertStatus(created, 201);
    assert.equal(created.body['api_version'], '2.14');
  });
  test('are known by a token as well', async () => {
    const broker = await startBroker(stage, {
      catalog: defaultCatalog(stage.name('')),
      auth: { type: 'bearer', token: 'the-token' },
    });
    assertStatus(await register(stage, broker.url, { credentials: { token: 'the-token' } }), 201);
  });
  outcome(stage, `POST ${path} 409 Conflict`, 'have names and ids of their own', async () => {
    const { id, name, broker } = await openShop(stage);
    const sameName = await register(stage, broker.url, { name });
    assertError(sameName, 409, 'Conflict');
    assert.deepEqual(sameName.body['ids'], [id]);
    const sameId = await register(stage, broker.url, { id });
    assertError(sameId, 409, 'Conflict');
    assert.deepEqual(sameId.body['ids'], [id]);
  });
  outcome(stage, `GET ${path}/:id 404 NotFound`, 'that are not there are not found', async () =>
    assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', /could not find such service broker/),
  );
  outcome(
    stage,
    [`GET ${path}/:id/operations/:op 200`, `GET ${path}/:id/operations/:op 404 NotFound`],
    'have operations',
    async () => {
      const { id } = await openShop(stage);
      const operation = textAt(await stage.get(`${path}/${id}`), 'last_operation', 'id');
      assertStatus(await stage.get(`${path}/${id}/operations/${operation}`), 200);
      assertError(await stage.get(`${path}/other/operations/${operation}`), 404, 'NotFound');
    },
  );
}

function refusals(stage: Stage): void {
  const bad: readonly [why: string, more: Body][] = [
    ['without a name', { name: null }],
    ['with a name of 256 characters', { name: 'n'.repeat(256) }],
    ['without an address', { broker_url: null }],
    ['with an address that is none', { broker_url: 'somewhere' }],
    ['with an address of another kind', { broker_url: 'ftp://127.0.0.1/' }],
    ['without credentials', { credentials: null }],
    ['with empty credentials', { credentials: {} }],
    ['without a password', { credentials: { basic: { username: 'u' } } }],
    ['without a user name', { credentials: { basic: { password: 'p' } } }],
    ['with a certificate without its key', { credentials: { tls: { client_certificate: 'x' } } }],
    ['with a key without its certificate', { credentials: { tls: { client_key: 'x' } } }],
    ['with a pair that is none', { credentials: { tls: { client_certificate: 'x', client_key: 'y' } } }],
    [
      'with a certificate that the server does not have',
      { credentials: { tls: { sm_provided_tls_credentials: true } } },
    ],
    ['with wrong labels', { labels: { a: 'b' } }],
  ];
  for (const [why, more] of bad) {
    outcome(stage, `POST ${path} 400 BadRequest`, `are refused ${why}`, async () => {
      const broker = await freshBroker(stage);
      assertError(await register(stage, broker.url, more), 400, 'BadRequest');
      assert.equal(broker.requests.length, 0, 'the broker was not asked');
    });
  }
  const answers: readonly [why: string, status: number, body: unknown][] = [
    ['another status', 503, {}],
    ['an unauthorized caller', 401, { description: 'who?' }],
    ['no JSON', 200, 'nonsense'],
    ['no services', 200, {}],
    ['services that are no list', 200, { services: {} }],
    ['two offerings of one id', 200, twice('id')],
    ['two offerings of one name', 200, twice('name')],
    ['a plan without a description', 200, withPlan({ description: undefined })],
    ['two plans of one id', 200, withPlan({}, { id: 'p1', name: 'other' })],
    ['two plans of one name', 200, withPlan({}, { id: 'other', name: 'p1' })],
    ['the reserved plan name', 200, withPlan({ name: 'reference-instance' })],
    [
      'sharing of a plan that cannot be bound',
      200,
      withPlan({ bindable: false, metadata: { supportsInstanceSharing: true } }),
    ],
    [
      'two ways to choose platforms',
      200,
      withPlan({ metadata: { supportedPlatforms: ['a'], excludedPlatformNames: ['b'] } }),
    ],
  ];
  for (const [why, status, body] of answers) {
    outcome(stage, `POST ${path} 400 BadRequest`, `are refused when their catalog has ${why}`, async () => {
      const broker = await freshBroker(stage);
      broker.misbehave({ type: 'answer', status, body });
      const name = stage.name('broker');
      assertError(await register(stage, broker.url, { name }), 400, 'BadRequest');
      const listed = await stage.get(withQuery(path, { fieldQuery: `name eq '${name}'` }));
      assert.equal(listed.body['num_items'], 0, 'nothing is stored');
    });
  }
  outcome(stage, `POST ${path} 502 ServiceBrokerErr`, 'that cannot be reached are refused', async () => {
    const broker = await freshBroker(stage);
    await broker.stop();
    const answer = await register(stage, broker.url);
    assertError(answer, 502, 'ServiceBrokerErr', /could not reach service broker/);
    assert.equal(answer.body['retryable'], true);
  });
  outcome(stage, `POST ${path} 504 ServiceBrokerErr`, 'that do not finish their catalog are refused', async () => {
    const broker = await freshBroker(stage);
    broker.misbehave({ type: 'hang' });
    assertError(await register(stage, broker.url, { limits: { timeout_ms: 200 } }), 504, 'ServiceBrokerErr');
  });
}

function plansOf(plans: readonly Body[]): Body {
  return { services: [{ id: 's1', name: 's1', description: 'd', bindable: true, plans }] };
}

function withPlan(more: Body, ...others: readonly Body[]): Body {
  return plansOf([
    { id: 'p1', name: 'p1', description: 'd', ...more },
    ...others.map(other => ({ description: 'd', ...other })),
  ]);
}

function twice(key: 'id' | 'name'): Body {
  const offering = (word: string) => ({
    ...(plansOf([{ id: word, name: word, description: 'd' }])['services'] as Body[])[0],
    id: word,
    name: word,
  });
  return {
    services: [
      { ...offering('a'), [key]: 'same' },
      { ...offering('b'), [key]: 'same' },
    ],
  };
}

function background(stage: Stage): void {
  outcome(stage, `POST ${path}?async=true 202`, 'are registered in the background', async () => {
    const broker = await freshBroker(stage);
    const accepted = await register(stage, broker.url, {}, '?async=true');
    const operation = await ended(stage, accepted);
    assert.equal(operation['state'], 'succeeded', JSON.stringify(operation));
    const id = resourceIdOf(accepted);
    assert.equal((await stage.get(`${path}/${id}`)).body['ready'], true);
    const offerings = await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${id}'` }));
    assert.equal(offerings.body['num_items'], 2);
  });
  test('that fail in the background stay, not ready, with the reason in their operation', async () => {
    const broker = await freshBroker(stage);
    broker.misbehave({ type: 'answer', status: 200, body: { services: {} } }, { times: Number.POSITIVE_INFINITY });
    const accepted = await register(stage, broker.url, {}, '?async=true');
    const operation = await operationWhere(
      stage,
      accepted.headers['location'] ?? '',
      ({ state }) => state === 'failed',
    );
    assert.match(JSON.stringify(operation['errors']), /"error":"BadRequest"/);
    const read = await stage.get(`${path}/${resourceIdOf(accepted)}`);
    assert.deepEqual([read.status, read.body['ready']], [200, false]);
    assertStatus(await stage.delete(`${path}/${resourceIdOf(accepted)}`), 200);
  });
  outcome(stage, `PATCH ${path}/:id?async=true 202`, 'are changed in the background', async () => {
    const { id } = await openShop(stage);
    const accepted = await stage.patch(`${path}/${id}?async=true`, { description: 'later' });
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    assert.equal((await stage.get(`${path}/${id}`)).body['description'], 'later');
  });
  outcome(stage, `DELETE ${path}/:id?async=true 202`, 'are deleted in the background', async () => {
    const { id } = await openShop(stage);
    const accepted = await stage.delete(`${path}/${id}?async=true`);
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    await gone(stage, `${path}/${id}`);
  });
  test('that cannot be changed say so in the operation', async () => {
    const { id, broker } = await openShop(stage);
    await broker.stop();
    const operation = await ended(stage, await stage.patch(`${path}/${id}?async=true`, {}));
    assert.equal(operation['state'], 'failed');
    assert.match(JSON.stringify(operation['errors']), /ServiceBrokerErr/);
    assert.equal((await stage.get(`${path}/${id}`)).body['ready'], true);
  });
}

function change(stage: Stage): void {
  outcome(stage, `PATCH ${path}/:id 200`, 'are changed, and their catalog is fetched each time', async () => {
    const { id, broker } = await openShop(stage);
    broker.forgetRequests();
    assertStatus(await stage.patch(`${path}/${id}`, {}), 200);
    assert.deepEqual(
      broker.requests.map(({ url }) => url),
      ['/v2/catalog'],
    );
    const name = stage.name('renamed');
    const changed = await stage.patch(`${path}/${id}`, { name, description: 'new' });
    assert.deepEqual([changed.body['name'], changed.body['description']], [name, 'new']);
    assert.doesNotMatch(changed.text, new RegExp(secret));
    assert.equal((await stage.patch(`${path}/${id}`, { description: null })).body['description'], '');
  });
  test('move to another address with their credentials only', async () => {
    const { id } = await openShop(stage);
    const other = await freshBroker(stage);
    assertError(await stage.patch(`${path}/${id}`, { broker_url: other.url }), 400, 'BadRequest', /credentials/);
    const moved = await stage.patch(`${path}/${id}`, { broker_url: other.url, credentials: brokerCredentials });
    assertStatus(moved, 200);
    assert.equal(moved.body['broker_url'], other.url);
  });
  test('get other credentials, which are used from then on', async () => {
    const { id, broker } = await openShop(stage);
    const next = { username: 'next', password: 'next-password' };
    broker.accept({ type: 'basic', ...next });
    assertError(await stage.patch(`${path}/${id}`, {}), 400, 'BadRequest', /401/);
    assertStatus(await stage.patch(`${path}/${id}`, { credentials: { basic: next } }), 200);
    assertStatus(await stage.patch(`${path}/${id}`, {}), 200);
  });
  outcome(stage, `PATCH ${path}/:id 400 BadRequest`, 'are not changed when something is wrong', async () => {
    const { id, broker } = await openShop(stage);
    for (const body of [{ name: '' }, { broker_url: 'x', credentials: brokerCredentials }, { credentials: {} }])
      assertError(await stage.patch(`${path}/${id}`, body), 400, 'BadRequest');
    broker.misbehave({ type: 'answer', status: 500 });
    assertError(await stage.patch(`${path}/${id}`, { description: 'lost' }), 400, 'BadRequest');
    assert.equal((await stage.get(`${path}/${id}`)).body['description'], '');
  });
  outcome(stage, `PATCH ${path}/:id 404 NotFound`, 'that are not there are not changed', async () =>
    assertError(await stage.patch(`${path}/nothing`, {}), 404, 'NotFound'),
  );
  outcome(stage, `PATCH ${path}/:id 409 Conflict`, 'do not take the name of another', async () => {
    const [one, other] = [await openShop(stage), await openShop(stage)];
    const answer = await stage.patch(`${path}/${one.id}`, { name: other.name });
    assertError(answer, 409, 'Conflict');
    assert.deepEqual(answer.body['ids'], [other.id]);
  });
  outcome(stage, `PATCH ${path}/:id 502 ServiceBrokerErr`, 'that cannot be reached are not changed', async () => {
    const { id, broker } = await openShop(stage);
    await broker.stop();
    assertError(await stage.patch(`${path}/${id}`, {}), 502, 'ServiceBrokerErr');
  });
}

function deletion(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  outcome(stage, `DELETE ${path}/:id 200`, 'are deleted with catalog and visibilities', async () => {
    const { id, plan, offerings } = await openShop(stage);
    const visibility = await openPlan(stage, plan('database/sync'));
    assert.equal((await stage.delete(`${path}/${id}`)).text, '{}');
    assertStatus(await stage.get(`${path}/${id}`), 404);
    assertStatus(await stage.get(`/v1/service_plans/${plan('database/sync')}`), 404);
    assertStatus(await stage.get(`/v1/service_offerings/${offerings['database']}`), 404);
    assertStatus(await stage.get(`/v1/visibilities/${visibility}`), 404);
  });
  outcome(stage, `DELETE ${path}/:id 404 NotFound`, 'that are not there are not deleted', async () =>
    assertError(await stage.delete(`${path}/nothing`), 404, 'NotFound'),
  );
  outcome(stage, `DELETE ${path}/:id 409 ExistingReferenceEntity`, 'that have instances stay whole', async () => {
    const instance = await provision(stage, shop.plan('queue/sync'));
    const answer = await stage.delete(`${path}/${shop.id}`);
    assertError(answer, 409, 'ExistingReferenceEntity');
    assert.deepEqual(answer.body['ids'], [instance]);
    assertStatus(await stage.get(`/v1/service_plans/${shop.plan('database/sync')}`), 200);
  });
  outcome(
    stage,
    [`DELETE ${path}/:id?cascade 400 BadRequest`, `DELETE ${path}/:id?force 400 BadRequest`],
    'are deleted neither by cascade nor by force',
    async () => {
      assertError(
        await stage.delete(`${path}/${shop.id}?cascade=true`),
        400,
        'BadRequest',
        /Cascade delete is not supported/,
      );
      assertError(await stage.delete(`${path}/${shop.id}?force=true`), 400, 'BadRequest');
    },
  );
  outcome(
    stage,
    [`DELETE ${path} 200`, `DELETE ${path} 400 BadRequest`, `DELETE ${path} 404 NotFound`],
    'are deleted by the dozen with a filter only (deviation: a filter on bulk delete)',
    async () => {
      const [one, other] = [await openShop(stage), await openShop(stage)];
      assertError(await stage.delete(path), 400, 'BadRequest');
      const filtered = withQuery(path, { fieldQuery: `id in ('${one.id}','${other.id}')` });
      assertStatus(await stage.delete(filtered), 200);
      assertError(await stage.delete(filtered), 404, 'NotFound');
    },
  );
  test('are ready before they are used', async () => {
    const broker = await freshBroker(stage);
    broker.misbehave({ type: 'delay', ms: 300 });
    const accepted = await register(stage, broker.url, {}, '?async=true');
    const id = resourceIdOf(accepted);
    const ready = withQuery(path, { fieldQuery: `ready eq true and id eq '${id}'` });
    assert.deepEqual(itemsOf(await stage.get(ready)), []);
    await resourceWhere(stage, `${path}/${id}`, body => body['ready'] === true);
    assert.equal(itemsOf(await stage.get(ready)).length, 1);
  });
}
