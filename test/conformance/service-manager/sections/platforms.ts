import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, assertStatus, at, itemsOf, textAt, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { openPlan, openShop, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/platforms';

/** Sections 4.1 and 5.1: platforms. */
export function platforms(stage: Stage): void {
  describe('platforms', () => {
    creation(stage);
    reading(stage);
    change(stage);
    deletion(stage);
    ownPlatform(stage);
    technical(stage);
  });
}

function creation(stage: Stage): void {
  outcome(stage, `POST ${path} 201`, 'are created with credentials that are shown once', async () => {
    const name = stage.name('platform');
    const body = { name, type: 'kubernetes', description: 'd', labels: { tier: ['prod'] }, credentials: { basic: {} } };
    const created = await stage.post(path, body);
    assertStatus(created, 201);
    const { id, ready, labels, last_operation: operation } = created.body;
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.deepEqual([ready, labels], [true, { tier: ['prod'] }]);
    for (const part of ['username', 'password'])
      assert.equal(Buffer.from(textAt(created, 'credentials', 'basic', part), 'base64').length, 32);
    assert.deepEqual(
      ['type', 'state', 'resource_id', 'resource_type', 'platform_id', 'reschedule', 'deletion_scheduled'].map(field =>
        at(operation, field),
      ),
      ['create', 'succeeded', id, path, 'service-manager', false, '0001-01-01T00:00:00Z'],
    );
    assert.equal('credentials' in (await stage.get(`${path}/${id}`)).body, false);
    assert.equal('credentials' in (await stage.patch(`${path}/${id}`, { description: 'e' })).body, false);
    const listed = itemsOf(await stage.get(withQuery(path, { fieldQuery: `id eq '${id}'` })));
    assert.deepEqual(
      listed.map(item => 'credentials' in item),
      [false],
    );
  });
  test('may be given an id', async () => {
    const id = stage.name('chosen');
    const created = await stage.post(path, { id, name: stage.name('platform'), type: 'cloudfoundry' });
    assert.equal(created.body['id'], id);
  });
  outcome(stage, `POST ${path} 400 BadRequest`, 'need a name and a type', async () => {
    for (const body of [{}, { name: 'n' }, { type: 't' }, { name: '', type: 't' }, { name: 3, type: 't' }])
      assertError(await stage.post(path, body), 400, 'BadRequest');
    assertError(await stage.post(path, { name: 'n'.repeat(256), type: 't' }), 400, 'BadRequest');
    assertError(await stage.post(path, { name: 'n', type: 't', suspended: 'yes' }), 400, 'BadRequest');
  });
  outcome(stage, `POST ${path} 409 Conflict`, 'have names and ids of their own', async () => {
    const { id, name } = await registerPlatform(stage);
    assertError(await stage.post(path, { name, type: 't' }), 409, 'Conflict');
    const same = await stage.post(path, { id, name: stage.name('platform'), type: 't' });
    assertError(same, 409, 'Conflict');
    assert.deepEqual(same.body['ids'], [id]);
  });
  outcome(stage, `POST ${path}?async 400 InvalidRequest`, 'are not created in the background', async () => {
    const wanted = { name: stage.name('platform'), type: 't' };
    for (const mode of ['true', 'yes', ''])
      assertError(await stage.post(`${path}?async=${mode}`, wanted), 400, 'InvalidRequest', /asynchronous/);
    assertStatus(await stage.post(`${path}?async=false`, wanted), 201);
  });
}

function reading(stage: Stage): void {
  outcome(
    stage,
    [`GET ${path} 200`, `GET ${path}/:id 200`],
    'are listed and read, with their last operation',
    async () => {
      const { id } = await registerPlatform(stage);
      const read = await stage.get(`${path}/${id}`);
      assertStatus(read, 200);
      assert.equal(textAt(read, 'last_operation', 'type'), 'create');
      const query = { fieldQuery: `id eq '${id}'` };
      const [plain] = itemsOf(await stage.get(withQuery(path, query)));
      assert.equal(plain?.['last_operation'], undefined);
      const [attached] = itemsOf(await stage.get(withQuery(path, { ...query, attach_last_operations: 'true' })));
      assert.equal(at(attached, 'last_operation', 'resource_id'), id);
    },
  );
  outcome(stage, `GET ${path}/:id 404 NotFound`, 'that are not there are not found', async () =>
    assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', /could not find such platform/),
  );
  outcome(
    stage,
    [`GET ${path}/:id/operations/:op 200`, `GET ${path}/:id/operations/:op 404 NotFound`],
    'have operations, which are found by both ids only',
    async () => {
      const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
      const operation = textAt(await stage.get(`${path}/${one.id}`), 'last_operation', 'id');
      const found = await stage.get(`${path}/${one.id}/operations/${operation}`);
      assertStatus(found, 200);
      assert.equal(found.body['resource_id'], one.id);
      assertError(await stage.get(`${path}/${other.id}/operations/${operation}`), 404, 'NotFound');
      assertError(await stage.get(`${path}/${one.id}/operations/nothing`), 404, 'NotFound');
      assertError(await stage.get(`/v1/service_brokers/${one.id}/operations/${operation}`), 404, 'NotFound');
    },
  );
}

function change(stage: Stage): void {
  outcome(stage, `PATCH ${path}/:id 200`, 'are changed', async () => {
    const { id } = await registerPlatform(stage);
    const name = stage.name('renamed');
    const changed = await stage.patch(`${path}/${id}`, { name, type: 'cf', description: 'new', suspended: true });
    assertStatus(changed, 200);
    const fields = ['name', 'type', 'description', 'suspended', 'ready'].map(field => changed.body[field]);
    assert.deepEqual(fields, [name, 'cf', 'new', true, true]);
    assert.equal(textAt(changed, 'last_operation', 'type'), 'update');
  });
  outcome(stage, `PATCH ${path}/:id 400 BadRequest`, 'keep a name and a type', async () => {
    const { id } = await registerPlatform(stage);
    for (const body of [{ name: '' }, { name: null }, { type: null }, { suspended: 1 }])
      assertError(await stage.patch(`${path}/${id}`, body), 400, 'BadRequest');
  });
  outcome(stage, `PATCH ${path}/:id 404 NotFound`, 'that are not there are not changed', async () =>
    assertError(await stage.patch(`${path}/nothing`, {}), 404, 'NotFound'),
  );
  outcome(stage, `PATCH ${path}/:id 409 Conflict`, 'do not take the name of another', async () => {
    const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
    const answer = await stage.patch(`${path}/${one.id}`, { name: other.name });
    assertError(answer, 409, 'Conflict');
    assert.deepEqual(answer.body['ids'], [other.id]);
  });
  outcome(stage, `PATCH ${path}/:id?async 400 InvalidRequest`, 'are not changed in the background', async () => {
    const { id } = await registerPlatform(stage);
    assertError(await stage.patch(`${path}/${id}?async=true`, {}), 400, 'InvalidRequest');
  });
  outcome(
    stage,
    `PATCH ${path}/:id?regenerateCredentials=true 200`,
    'get other credentials when asked for',
    async () => {
      const { id, login } = await registerPlatform(stage);
      const changed = await stage.patch(`${path}/${id}?regenerateCredentials=true`, {});
      assertStatus(changed, 200);
      const next = {
        username: textAt(changed, 'credentials', 'basic', 'username'),
        password: textAt(changed, 'credentials', 'basic', 'password'),
      };
      assert.notEqual(next.username, login.username);
      assertStatus(await stage.get(path, { as: next }), 200);
      // The first credentials were never used to connect, so they are replaced at once.
      assertError(await stage.get(path, { as: login }), 401, 'Unauthorized');
    },
  );
}

function deletion(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  outcome(stage, `DELETE ${path}/:id 200`, 'are deleted with their visibilities', async () => {
    const platform = await registerPlatform(stage);
    const visibility = await openPlan(stage, shop.plan('database/sync'), { platform_id: platform.id });
    const deleted = await stage.delete(`${path}/${platform.id}`);
    assertStatus(deleted, 200);
    assert.equal(deleted.text, '{}');
    assertError(await stage.get(`${path}/${platform.id}`), 404, 'NotFound');
    assertError(await stage.get(`/v1/visibilities/${visibility}`), 404, 'NotFound');
    assertError(await stage.get(path, { as: platform.login }), 401, 'PlatformDeleted');
  });
  outcome(stage, `DELETE ${path}/:id 404 NotFound`, 'that are not there are not deleted', async () =>
    assertError(await stage.delete(`${path}/nothing`), 404, 'NotFound'),
  );
  outcome(
    stage,
    [`DELETE ${path}/:id 409 ExistingReferenceEntity`, `DELETE ${path} 409 ExistingReferenceEntity`],
    'that have instances are not deleted',
    async () => {
      const platform = await registerPlatform(stage);
      await openPlan(stage, shop.plan('queue/sync'), { platform_id: platform.id });
      await provisionOverOsb(stage, shop, { platform, planId: shop.plan('queue/sync') });
      assertError(await stage.delete(`${path}/${platform.id}`), 409, 'ExistingReferenceEntity');
      const query = { fieldQuery: `id eq '${platform.id}'` };
      assertError(await stage.delete(withQuery(path, query)), 409, 'ExistingReferenceEntity');
      assertStatus(await stage.get(`${path}/${platform.id}`), 200);
    },
  );
  outcome(stage, `DELETE ${path}/:id?async 400 InvalidRequest`, 'are not deleted in the background', async () => {
    const { id } = await registerPlatform(stage);
    assertError(await stage.delete(`${path}/${id}?async=true`), 400, 'InvalidRequest');
  });
  outcome(stage, `DELETE ${path}/:id?force 400 BadRequest`, 'are not deleted by force', async () => {
    const { id } = await registerPlatform(stage);
    assertError(await stage.delete(`${path}/${id}?force=true`), 400, 'BadRequest');
    assertError(await stage.delete(`${path}/${id}?force=true&cascade=true`), 400, 'BadRequest');
  });
  outcome(
    stage,
    [`DELETE ${path} 200`, `DELETE ${path} 404 NotFound`, `DELETE ${path} 400 BadRequest`],
    'are deleted by the dozen with a filter only (deviation: a filter on bulk delete)',
    async () => {
      const label = stage.name('bulk');
      const ids: string[] = [];
      for (let count = 0; count < 3; count++)
        ids.push((await registerPlatform(stage, { labels: { [label]: ['yes'] } })).id);
      assertError(await stage.delete(path), 400, 'BadRequest', /filter is required/);
      const filtered = withQuery(path, { labelQuery: `${label} eq 'yes'` });
      assertError(await stage.delete(`${filtered}&async=true`), 400, 'BadRequest');
      assertError(await stage.delete(`${filtered}&cascade=true`), 400, 'BadRequest');
      const counted = await stage.delete(`${filtered}&dry_run=true`);
      assert.deepEqual([counted.status, counted.body], [200, { num_items: 3 }]);
      assertStatus(await stage.get(`${path}/${ids[0]}`), 200);
      const deleted = await stage.delete(filtered);
      assert.deepEqual([deleted.status, deleted.text], [200, '{}']);
      for (const id of ids) assertStatus(await stage.get(`${path}/${id}`), 404);
      assertError(await stage.delete(filtered), 404, 'NotFound');
    },
  );
}

function ownPlatform(stage: Stage): void {
  const own = 'service-manager';
  test('of the service manager itself can be read, not changed and not deleted', async () => {
    const read = await stage.get(`${path}/${own}`);
    assert.deepEqual([read.body['id'], read.body['name'], read.body['type']], [own, own, own]);
    assertError(await stage.patch(`${path}/${own}`, { description: 'x' }), 404, 'NotFound');
    assertError(await stage.delete(`${path}/${own}`), 404, 'NotFound');
    assertError(await stage.delete(`${path}/${own}?cascade=true`), 404, 'NotFound');
    const { id } = await registerPlatform(stage);
    const filtered = withQuery(path, { fieldQuery: `id in ('${own}','${id}')` });
    assertStatus(await stage.delete(filtered), 200);
    assertStatus(await stage.get(`${path}/${own}`), 200);
    assertStatus(await stage.get(`${path}/${id}`), 404);
  });
}

function technical(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  test('that are technical have no credentials, are hidden, and can have visibilities', async () => {
    const created = await stage.post(path, { name: stage.name('technical'), type: 't', technical: true });
    assertStatus(created, 201);
    assert.equal('credentials' in created.body, false);
    const id = textAt(created, 'id');
    assertError(await stage.get(`${path}/${id}`), 404, 'NotFound');
    assert.equal((await stage.get(withQuery(path, { fieldQuery: `id eq '${id}'` }))).body['num_items'], 0);
    await openPlan(stage, shop.plan('database/slow'), { platform_id: id });
    assertStatus(await stage.delete(`${path}/${id}`), 200);
  });
}
