import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Answer, assertError, assertStatus, type Body, textAt, withQuery } from '../support/http.ts';
import { ended, locationOf, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { bind, openShop, provision, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_instances';

/** Section 24: what is new here: idempotency keys, entity tags, retry of operations, import, rotation of bindings. */
export function additions(stage: Stage): void {
  describe('additions', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const shopOf = () => shop;
    idempotency(stage, shopOf);
    tags(stage);
    retry(stage, shopOf);
    imports(stage, shopOf);
    rotation(stage, shopOf);
  });
}

type ShopOf = () => Shop;

function idempotency(stage: Stage, shop: ShopOf): void {
  const keyed = (body: Body, key: string, address = path): Promise<Answer> =>
    stage.post(address, body, { headers: { 'idempotency-key': key } });
  outcome(
    stage,
    `POST ${path} 422 IdempotencyKeyReused`,
    'the same request with the same key has the same answer',
    async () => {
      const body = { name: stage.name('instance'), service_plan_id: shop().plan('database/sync') };
      const [key, before] = [stage.name('key'), shop().broker.instances.size];
      const [first, second] = [await keyed(body, key), await keyed(body, key)];
      assert.deepEqual([first.status, second.status], [201, 201]);
      assert.equal(first.body['id'], second.body['id']);
      assert.equal(shop().broker.instances.size, before + 1);
      const other = { ...body, name: stage.name('instance') };
      assertError(await keyed(other, key), 422, 'IdempotencyKeyReused');
      assertError(await keyed(body, 'k'.repeat(256)), 400, 'BadRequest');
    },
  );
  test('two at once are one', async () => {
    const body = { name: stage.name('instance'), service_plan_id: shop().plan('database/sync') };
    const key = stage.name('key');
    const answers = await Promise.all([keyed(body, key), keyed(body, key), keyed(body, key)]);
    assert.equal(new Set(answers.map(answer => resourceOf(answer))).size, 1, JSON.stringify(answers));
  });
  test('a creation in the background is answered with its operation', async () => {
    const body = { name: stage.name('instance'), service_plan_id: shop().plan('database/sync') };
    const key = stage.name('key');
    const [first, second] = [
      await keyed(body, key, `${path}?async=true`),
      await keyed(body, key, `${path}?async=true`),
    ];
    assert.equal(locationOf(first), locationOf(second));
    assert.equal((await ended(stage, first))['state'], 'succeeded');
  });
  test('platforms, brokers and visibilities know keys too, and show secrets once', async () => {
    const key = stage.name('key');
    const body = { name: stage.name('platform'), type: 't' };
    const [first, second] = [await keyed(body, key, '/v1/platforms'), await keyed(body, key, '/v1/platforms')];
    assert.deepEqual([second.status, second.body['id']], [201, first.body['id']]);
    assert.deepEqual(['credentials' in first.body, 'credentials' in second.body], [true, false]);
  });
  outcome(stage, 'POST /v1/platforms 410 Gone', 'what was deleted meanwhile is gone, not made again', async () => {
    const key = stage.name('key');
    const body = { name: stage.name('platform'), type: 't' };
    const { id } = (await keyed(body, key, '/v1/platforms')).body;
    assertStatus(await stage.delete(`/v1/platforms/${id}`), 200);
    assertError(await keyed(body, key, '/v1/platforms'), 410, 'Gone');
  });
}

const resourceOf = (answer: Answer): unknown => (answer.status === 202 ? resourceIdOf(answer) : answer.body['id']);

function tags(stage: Stage): void {
  outcome(
    stage,
    [
      'GET /v1/platforms/:id 304',
      'PATCH /v1/platforms/:id 412 PreconditionFailed',
      'DELETE /v1/platforms/:id 412 PreconditionFailed',
    ],
    'tags tell whether something has changed',
    async () => {
      const { id } = await registerPlatform(stage);
      const address = `/v1/platforms/${id}`;
      const etag = (await stage.get(address)).headers['etag'] ?? '';
      assert.match(etag, /^"[^"]+"$/);
      const unchanged = await stage.get(address, { headers: { 'if-none-match': etag } });
      assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
      const changed = await stage.patch(address, { description: 'one' }, { headers: { 'if-match': etag } });
      assertStatus(changed, 200);
      assertError(
        await stage.patch(address, { description: 'two' }, { headers: { 'if-match': etag } }),
        412,
        'PreconditionFailed',
      );
      assertError(await stage.delete(address, { headers: { 'if-match': etag } }), 412, 'PreconditionFailed');
      assertStatus(await stage.get(address, { headers: { 'if-none-match': etag } }), 200);
      assertStatus(await stage.patch(address, {}, { headers: { 'if-match': '*' } }), 200);
      const last = (await stage.get(address)).headers['etag'] ?? '';
      assertStatus(await stage.delete(address, { headers: { 'if-match': last } }), 200);
    },
  );
}

function retry(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    [
      'POST /v1/operations/:id/retry 202',
      'POST /v1/operations/:id/retry 409 Conflict',
      'POST /v1/operations/:id/retry 404 NotFound',
    ],
    'a failed operation is tried again',
    async () => {
      const { broker, plan } = shop();
      broker.misbehave({ type: 'answer', status: 429, body: { description: 'later' } }, { method: 'PUT' });
      const body = { name: stage.name('instance'), service_plan_id: plan('database/sync') };
      const accepted = await stage.post(`${path}?async=true`, body);
      const failed = await ended(stage, accepted);
      assert.deepEqual([failed['state'], failed['retryable']], ['failed', true]);
      const again = await stage.post(`/v1/operations/${failed['id']}/retry`, {});
      assert.equal(locationOf(again), locationOf(accepted));
      assert.equal((await ended(stage, again))['state'], 'succeeded');
      const { body: instance } = await stage.get(`${path}/${resourceIdOf(accepted)}`);
      assert.deepEqual([instance['ready'], instance['usable']], [true, true]);
      assertError(await stage.post(`/v1/operations/${failed['id']}/retry`, {}), 409, 'Conflict', /succeeded/);
      assertError(await stage.post('/v1/operations/nothing/retry', {}), 404, 'NotFound');
    },
  );
}

function imports(stage: Stage, shop: ShopOf): void {
  /** An instance that its broker has and the service manager does not know. */
  const forgotten = async (own: Shop): Promise<string> => {
    const id = await provision(stage, own.plan('database/sync'));
    own.broker.misbehave({ type: 'answer', status: 410, body: {} }, { method: 'DELETE' });
    assertStatus(await stage.delete(`${path}/${id}`), 200);
    assert.ok(own.broker.instances.has(id));
    return id;
  };
  outcome(
    stage,
    [
      `POST ${path}/import 201`,
      `POST ${path}/import 400 BadRequest`,
      `POST ${path}/import 404 NotFound`,
      `POST ${path}/import 409 Conflict`,
    ],
    'an instance that its broker has already is taken under management',
    async () => {
      const own = shop();
      const id = await forgotten(own);
      const body = { id, name: stage.name('imported'), service_plan_id: own.plan('database/sync') };
      const imported = await stage.post(`${path}/import`, body);
      assertStatus(imported, 201);
      assert.deepEqual([imported.body['id'], imported.body['ready'], imported.body['usable']], [id, true, true]);
      assert.equal(imported.body['dashboard_url'], `http://dashboard.example/${id}`);
      assertError(await stage.post(`${path}/import`, body), 409, 'Conflict');
      assertError(
        await stage.post(`${path}/import`, { ...body, id: 'unknown', name: stage.name('n') }),
        404,
        'NotFound',
      );
      for (const wrong of [{ id: undefined }, { id: 'a/b' }, { name: undefined }, { platform_id: 'nothing' }])
        assertError(
          await stage.post(`${path}/import`, { ...body, name: stage.name('n'), ...wrong }),
          400,
          'BadRequest',
        );
      await bind(stage, id);
      const gone = await ended(stage, await stage.delete(`${path}/${id}?cascade=true`));
      assert.equal(gone['state'], 'succeeded');
      assert.equal(own.broker.instances.has(id), false);
    },
  );
}

function rotation(stage: Stage, shop: ShopOf): void {
  test('a binding gets a successor, and both hold until the first is deleted', async () => {
    const instance = await provision(stage, shop().plan('database/rotatable'));
    const old = await bind(stage, instance, { parameters: { role: 'reader' } });
    const successor = await bind(stage, instance, { predecessor_binding_id: old });
    const read = await stage.get(`/v1/service_bindings/${successor}`);
    assert.equal(textAt(read, 'predecessor_binding_id'), old);
    assert.equal(shop().broker.bindings.get(successor)?.predecessorId, old);
    assertStatus(await stage.delete(`/v1/service_bindings/${old}`), 200);
    assertStatus(await stage.get(`/v1/service_bindings/${successor}`), 200);
    const plain = await provision(stage, shop().plan('database/sync'));
    const other = await bind(stage, plain);
    const refused = { name: stage.name('b'), service_instance_id: plain, predecessor_binding_id: other };
    assertError(await stage.post('/v1/service_bindings', refused), 400, 'BadRequest', /rotated/);
    const found = withQuery('/v1/service_bindings', { fieldQuery: `predecessor_binding_id eq '${old}'` });
    assert.equal((await stage.get(found)).body['num_items'], 1);
  });
}
