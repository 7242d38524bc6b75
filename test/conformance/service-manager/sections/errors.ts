import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, type Ask, assertError, type Method } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { registerPlatform, startBroker } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Every route that needs authentication. */
const guarded: readonly (readonly [Method, string])[] = [
  ...['platforms', 'service_brokers', 'visibilities', 'service_instances', 'service_bindings'].flatMap(type => [
    ['GET', `/v1/${type}`] as const,
    ['POST', `/v1/${type}`] as const,
    ['GET', `/v1/${type}/x`] as const,
    ['PATCH', `/v1/${type}/x`] as const,
    ['DELETE', `/v1/${type}/x`] as const,
    ['GET', `/v1/${type}/x/operations/y`] as const,
  ]),
  ['DELETE', '/v1/platforms'],
  ['DELETE', '/v1/service_brokers'],
  ['DELETE', '/v1/visibilities'],
  ['GET', '/v1/service_instances/x/parameters'],
  ['GET', '/v1/service_bindings/x/parameters'],
  ['POST', '/v1/service_instances/import'],
  ...['service_offerings', 'service_plans'].flatMap(type => [
    ['GET', `/v1/${type}`] as const,
    ['GET', `/v1/${type}/x`] as const,
    ['PATCH', `/v1/${type}/x`] as const,
  ]),
  ['GET', '/v1/operations'],
  ['GET', '/v1/operations/x'],
  ['DELETE', '/v1/operations/x'],
  ['POST', '/v1/operations/x/retry'],
  ['GET', '/v1/tenants/x/operations/y'],
  ['GET', '/v1/notifications'],
  ['PUT', '/v1/credentials'],
  ['PUT', '/v1/credentials/x/activate'],
  ['GET', '/v1/config'],
  ['GET', '/v1/config/logging'],
  ['PUT', '/v1/config/logging'],
  ['GET', '/v1/osb/x/v2/catalog'],
  ['PUT', '/v1/osb/x/v2/service_instances/y'],
  ['POST', '/v1/osb/x/v2/service_instances/y/service_bindings/z/adapt_credentials'],
];

/** Section 3 and 13.1: what errors look like, and who is turned away. */
export function errors(stage: Stage): void {
  describe('errors', () => {
    shapes(stage);
    strangers(stage);
  });
}

function shapes(stage: Stage): void {
  const assertShape = ({ body, headers }: Answer) => {
    assert.equal(typeof body['error'], 'string');
    assert.equal(typeof body['description'], 'string');
    assert.equal(body['correlation_id'], headers['x-correlation-id']);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
  };
  test('have a word, a sentence and the name of the request', async () => {
    assertShape(await stage.get('/v1/platforms/nothing'));
    assertShape(await stage.get('/v1/nothing'));
    assertShape(await stage.put('/v1/platforms', {}));
    assertShape(await stage.get('/v1/platforms', { as: 'nobody' }));
  });
  test('name the field that is wrong', async () => {
    const answer = await stage.post('/v1/platforms', { name: stage.name('p') });
    assertError(answer, 400, 'BadRequest', /type/);
    assert.equal(answer.body['field'], 'type');
  });
  test('name what is in the way', async () => {
    const { id, name } = await registerPlatform(stage);
    const answer = await stage.post('/v1/platforms', { name, type: 't' });
    assertError(answer, 409, 'Conflict', /found conflicting platform/);
    assert.deepEqual(answer.body['ids'], [id]);
  });
  test('of brokers say which broker, what it answered and whether to try again', async () => {
    const broker = await startBroker(stage);
    broker.misbehave({ type: 'answer', status: 500, body: { description: 'secret words' } });
    const name = stage.name('broker');
    const body = { name, broker_url: broker.url, credentials: { basic: { username: 'admin', password: 'x' } } };
    const answer = await stage.post('/v1/service_brokers', body);
    assertError(answer, 400, 'BadRequest', new RegExp(name));
    assert.deepEqual([answer.body['broker'], answer.body['broker_status']], [name, 500]);
    assert.doesNotMatch(answer.text, /secret words/, "a catalog's error is not passed on");
  });
}

function strangers(stage: Stage): void {
  const askAll = async (asked: Ask, isExpected: (answer: Answer) => boolean): Promise<string[]> => {
    const wrong: string[] = [];
    for (const [method, path] of guarded) {
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const answer = await stage.ask(method, path, { ...asked, ...(hasBody ? { body: {} } : {}) });
      if (!isExpected(answer)) wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
    return wrong;
  };
  outcome(stage, 'GET /v1/platforms 401 Unauthorized', 'nobody is let in anywhere', async () => {
    const wrong = await askAll({ as: 'nobody' }, ({ status }) => status === 401);
    assert.deepEqual(wrong, []);
  });
  test('neither is somebody with a wrong token or a wrong password', async () => {
    const { login } = await registerPlatform(stage);
    assert.deepEqual(await askAll({ as: { token: 'wrong' } }, ({ status }) => status === 401), []);
    const as = { ...login, password: 'wrong' };
    for (const path of ['/v1/platforms', '/v1/service_brokers', '/v1/notifications'])
      assertError(await stage.get(path, { as }), 401, 'Unauthorized');
  });
  test('a challenge says which credentials are meant', async () => {
    const answer = await stage.get('/v1/platforms', { as: 'nobody' });
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /);
    assertError(answer, 401, 'Unauthorized', /No authenticated user found/);
  });
  test('a platform reads lists and single resources, and nothing deeper', async () => {
    const { login: as } = await registerPlatform(stage);
    for (const type of ['platforms', 'service_brokers', 'service_offerings', 'service_plans', 'visibilities'])
      assert.equal((await stage.get(`/v1/${type}`, { as })).status, 200, type);
    for (const path of ['/v1/service_instances/x/parameters', '/v1/platforms/x/operations/y', '/v1/operations'])
      assertError(await stage.get(path, { as }), 401, 'Unauthorized');
    assertError(await stage.post('/v1/platforms', { name: 'n', type: 't' }, { as }), 401, 'Unauthorized');
    assertError(await stage.get('/v1/config', { as }), 401, 'Unauthorized');
  });
}
