import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, assertStatus, textAt, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { openShop, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/platforms';

/** Section 2: what all requests have in common. */
export function transport(stage: Stage): void {
  describe('transport', () => {
    bodies(stage);
    addresses(stage);
    correlation(stage);
    patches(stage);
  });
}

function bodies(stage: Stage): void {
  const platform = () => JSON.stringify({ name: stage.name('platform'), type: 'kubernetes' });
  const send = (body: string, contentType: string) =>
    stage.ask('POST', path, { body, headers: { 'content-type': contentType } });

  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
    test(`a body of the type "${type}" is JSON`, async () => assertStatus(await send(platform(), type), 201));
  }
  test('a body without a type is JSON', async () =>
    assertStatus(await stage.ask('POST', path, { body: platform(), headers: { 'content-type': undefined } }), 201));
  outcome(stage, `POST ${path} 415 UnsupportedMediaType`, 'a body of another type is refused', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/merge-patch+json', 'nonsense', ''])
      assertError(await send(platform(), type), 415, 'UnsupportedMediaType');
  });
  test('a form is refused as a bad request', async () => {
    assertError(await send('name=a&type=b', 'application/x-www-form-urlencoded'), 400, 'BadRequest', /media type/);
  });
  outcome(stage, `POST ${path} 413 PayloadTooLarge`, 'a body of more than a mebibyte is refused', async () => {
    const description = 'x'.repeat(1024 * 1024);
    assertError(await stage.post(path, { name: 'n', type: 't', description }), 413, 'PayloadTooLarge');
  });
  const malformed: readonly [why: string, body: string][] = [
    ['a body that is no JSON', '{"name":'],
    ['a key that stands twice', '{"name":"a","type":"b","name":"c"}'],
    ['a key that stands twice deeper inside', '{"name":"a","type":"b","labels":{"k":["1"],"k":["2"]}}'],
    ['a key that stands twice in other spelling', '{"name":"a","type":"b","na\\u006de":"c"}'],
    ['a list', '[]'],
    ['a text', '"platform"'],
  ];
  for (const [why, body] of malformed) {
    test(`${why} is refused`, async () => assertError(await send(body, 'application/json'), 400, 'BadRequest'));
  }
  test('the same key in two objects is none that stands twice', async () => {
    const body = { name: stage.name('platform'), type: 'name', labels: { name: ['name'], type: ['name'] } };
    assertStatus(await stage.post(path, body), 201);
  });
}

function addresses(stage: Stage): void {
  test('an address with a slash at its end is sent to the one without', async () => {
    const answer = await stage.get(`${path}/?max_items=1`);
    assertStatus(answer, 308);
    assert.equal(answer.headers['location'], `${path}?max_items=1`);
  });
  test('an address that is not served is not found', async () => {
    assertError(await stage.get('/v1/nothing'), 404, 'NotFound');
    assertError(await stage.get('/v1/platforms/a/b/c/d'), 404, 'NotFound');
  });
  test('a method that is not served is refused with those that are', async () => {
    const answer = await stage.put(path, {});
    assertError(answer, 405, 'MethodNotAllowed');
    assert.deepEqual(answer.headers['allow']?.split(', ').toSorted(), ['DELETE', 'GET', 'POST']);
  });
  test('HEAD is answered as GET, without a body', async () => {
    const answer = await stage.ask('HEAD', path);
    assertStatus(answer, 200);
    assert.equal(answer.text, '');
  });
  for (const id of ['a:b', 'a?b', 'a#b', 'a[b', 'a@b', "a'b", 'a(b', 'a*b', 'a+b', 'a,b', 'a;b', 'a=b', 'a$b', 'a&b'])
    test(`an id with a reserved character is refused: ${id}`, async () => {
      const wanted = { id, name: stage.name('platform'), type: 'kubernetes' };
      assertError(await stage.post(path, wanted), 400, 'BadRequest', /contains invalid character\(s\)/);
      assertError(await stage.get(`${path}/${encodeURIComponent(id)}`), 400, 'BadRequest', /invalid character/);
    });
  for (const id of ['.', '..', 'a b', 'a\tb', 'a\0b', ''])
    test(`an id that no address can have is refused: ${JSON.stringify(id)}`, async () =>
      assertError(await stage.post(path, { id, name: stage.name('platform'), type: 't' }), 400, 'BadRequest'));
  test('a NUL is refused in names and labels, because not every database can store it', async () => {
    assertError(await stage.post(path, { name: 'a\0b', type: 't' }), 400, 'BadRequest', /NUL/);
    const labelled = { name: stage.name('platform'), type: 't' };
    for (const labels of [{ 'a\0b': ['x'] }, { a: ['x\0'] }])
      assertError(await stage.post(path, { ...labelled, labels }), 400, 'BadRequest', /NUL/);
  });
  test('an id of 100 characters is taken, a longer one refused', async () => {
    const create = (length: number) =>
      stage.post(path, { id: 'i'.repeat(length), name: stage.name('platform'), type: 'kubernetes' });
    assertStatus(await create(100), 201);
    assertError(await create(101), 400, 'BadRequest');
    assertStatus(await stage.get(`${path}/${'i'.repeat(100)}`), 200);
  });
  test('an id of any unreserved characters can be created, read, changed and deleted', async () => {
    const id = 'A.b_c~d-é';
    assertStatus(await stage.post(path, { id, name: stage.name('platform'), type: 'kubernetes' }), 201);
    const address = `${path}/${encodeURIComponent(id)}`;
    assert.equal(textAt(await stage.get(address), 'id'), id);
    assertStatus(await stage.patch(address, { description: 'x' }), 200);
    assertStatus(await stage.delete(address), 200);
  });
  test('an id that is no text is refused', async () =>
    assertError(await stage.post(path, { id: 7, name: 'n', type: 't' }), 400, 'BadRequest'));
}

function correlation(stage: Stage): void {
  const headers = [
    'X-CorrelationID',
    'X-Correlation-ID',
    'X-ForRequest-ID',
    'X-Request-ID',
    'X-Vcap-Request-Id',
    'X-Broker-API-Request-Identity',
  ];
  for (const [place, header] of headers.entries()) {
    test(`a request may be named by ${header}, which goes before those that follow`, async () => {
      const others = headers.slice(place + 1).map(name => [name, 'another'] as const);
      const sent = { [header]: `named-${place}`, ...Object.fromEntries(others) };
      const answer = await stage.post(path, { name: stage.name('p'), type: 't' }, { headers: sent });
      assert.equal(answer.headers['x-correlation-id'], `named-${place}`);
      assert.equal(textAt(answer, 'last_operation', 'correlation_id'), `named-${place}`);
    });
  }
  test('a request without a name gets one, also when it is refused', async () => {
    const { headers: fine } = await stage.get(path);
    const refused = await stage.get(`${path}/nothing`);
    assert.ok(fine['x-correlation-id']);
    assert.equal(refused.body['correlation_id'], refused.headers['x-correlation-id']);
    assert.notEqual(refused.headers['x-correlation-id'], fine['x-correlation-id']);
  });
  describe('toward brokers', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    test('the name of a request goes along', async () => {
      shop.broker.forgetRequests();
      const named = { headers: { 'x-correlation-id': 'to-broker' } };
      assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, {}, named), 200);
      const [seen] = shop.broker.requests;
      assert.equal(seen?.headers['x-correlation-id'], 'to-broker');
      assert.equal(seen?.headers['x-broker-api-request-identity'], 'to-broker');
    });
  });
}

function patches(stage: Stage): void {
  test('a PATCH merges: absent fields stay, null clears, what the server sets is ignored', async () => {
    const { id } = await registerPlatform(stage, { description: 'before' });
    const before = await stage.get(`${path}/${id}`);
    const sent = { id: 'other', created_at: '2000-01-01T00:00:00Z', updated_at: '2000-01-01T00:00:00Z', type: 'cf' };
    const changed = await stage.patch(`${path}/${id}`, sent);
    assertStatus(changed, 200);
    assert.equal(changed.body['id'], id);
    assert.equal(changed.body['created_at'], before.body['created_at']);
    assert.deepEqual([changed.body['type'], changed.body['description']], ['cf', 'before']);
    const cleared = await stage.patch(`${path}/${id}`, { description: null });
    assert.equal(cleared.body['description'], '');
  });
  test('times are in UTC, and of a change the later one', async () => {
    const { id } = await registerPlatform(stage);
    const changed = await stage.patch(`${path}/${id}`, { description: 'later' });
    const [created, updated] = [textAt(changed, 'created_at'), textAt(changed, 'updated_at')];
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    assert.ok(updated > created);
    const found = await stage.get(withQuery(path, { fieldQuery: `id eq '${id}' and updated_at gt ${created}` }));
    assert.equal(found.body['num_items'], 1);
  });
}
