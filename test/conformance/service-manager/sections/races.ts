import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Answer, assertStatus } from '../support/http.ts';
import { ended, gone } from '../support/operations.ts';
import { bind, openPlan, openShop, provision, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Sections 6 and 10.4 under many requests at once: what is unique stays so, and nothing is lost. */
export function races(stage: Stage): void {
  describe('many at once', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const many = (ask: (count: number) => Promise<Answer>): Promise<Answer[]> =>
      Promise.all(Array.from({ length: 12 }, (_, count) => ask(count)));
    const statuses = (answers: readonly Answer[]) => Object.groupBy(answers, ({ status }) => String(status));

    test('make one thing of a name', async () => {
      const instance = { name: stage.name('same'), service_plan_id: shop.plan('database/sync') };
      const instanceId = await provision(stage, shop.plan('database/sync'));
      const cases = {
        '/v1/platforms': { name: stage.name('same'), type: 't' },
        '/v1/service_instances': instance,
        '/v1/service_bindings': { name: stage.name('same'), service_instance_id: instanceId },
        '/v1/visibilities': { service_plan_id: shop.plan('queue/sync') },
      };
      for (const [path, body] of Object.entries(cases)) {
        const answers = statuses(await many(() => stage.post(path, body)));
        assert.deepEqual([answers['201']?.length, answers['409']?.length], [1, 11], path);
      }
    });
    test('open a plan to all or to some, not both', async () => {
      const { id } = await registerPlatform(stage);
      const plan = { service_plan_id: shop.plan('queue/async') };
      const answers = await many(count =>
        stage.post('/v1/visibilities', count % 2 ? plan : { ...plan, platform_id: id }),
      );
      assert.equal(statuses(answers)['201']?.length, 1);
    });
    test('lose no label', async () => {
      const { id } = await registerPlatform(stage);
      const labels = (count: number) => [{ op: 'add', key: `key-${count}`, values: ['v'] }];
      const answers = await many(count => stage.patch(`/v1/platforms/${id}`, { labels: labels(count) }));
      assert.deepEqual(Object.keys(statuses(answers)), ['200']);
      const { body } = await stage.get(`/v1/platforms/${id}`);
      assert.equal(Object.keys(body['labels'] as object).length, 12);
    });
    test('delete by cascade begin one cascade', async () => {
      const id = await provision(stage, shop.plan('database/sync'));
      const binding = await bind(stage, id);
      const answers = await many(() => stage.delete(`/v1/service_instances/${id}?cascade=true`));
      assert.ok(answers.every(({ status }) => status === 202 || status === 404));
      const accepted = answers.filter(({ status }) => status === 202);
      for (const answer of accepted) assert.equal((await ended(stage, answer))['state'], 'succeeded');
      assert.equal(new Set(accepted.map(({ headers }) => headers['location'])).size, 1);
      await gone(stage, `/v1/service_instances/${id}`);
      assert.deepEqual([shop.broker.instances.has(id), shop.broker.bindings.has(binding)], [false, false]);
    });
    test('delete a thing once', async () => {
      const id = await provision(stage, shop.plan('database/sync'));
      const answers = statuses(await many(() => stage.delete(`/v1/service_instances/${id}`)));
      assert.equal(answers['200']?.length, 1);
      assert.deepEqual(
        Object.keys(answers).filter(status => !['200', '404', '422'].includes(status)),
        [],
      );
      await gone(stage, `/v1/service_instances/${id}`);
      const deletions = shop.broker.requests.filter(({ method, url }) => method === 'DELETE' && url.includes(`/${id}`));
      assert.equal(deletions.length, 1);
    });
    test('bind an instance or delete it, not both', async () => {
      const id = await provision(stage, shop.plan('database/sync'));
      const [bound, deleted] = await Promise.all([
        stage.post('/v1/service_bindings', { name: stage.name('b'), service_instance_id: id }),
        stage.delete(`/v1/service_instances/${id}`),
      ]);
      assert.ok(
        bound.status === 201 ? deleted.status === 400 : deleted.status === 200,
        `${bound.text} ${deleted.text}`,
      );
    });
    test('refer to a shared instance or unshare it, not both', async () => {
      const id = await provision(stage, shop.plan('database/shared'));
      assertStatus(await stage.patch(`/v1/service_instances/${id}`, { shared: true }), 200);
      const reference = {
        name: stage.name('reference'),
        service_plan_id: shop.plan('database/reference-instance'),
        parameters: { referenced_instance_id: id },
      };
      const [referred, unshared] = await Promise.all([
        stage.post('/v1/service_instances', reference),
        stage.patch(`/v1/service_instances/${id}`, { shared: false }),
      ]);
      assert.ok(referred.status === 201 ? unshared.status === 400 : unshared.status === 200);
    });
    test('make an instance or end its broker, not both', async () => {
      const other = await openShop(stage);
      const body = { name: stage.name('instance'), service_plan_id: other.plan('queue/sync') };
      const [made, deleted] = await Promise.all([
        stage.post('/v1/service_instances', body),
        stage.delete(`/v1/service_brokers/${other.id}`),
      ]);
      const isMade = made.status === 201 && deleted.status === 409;
      assert.ok(isMade || (made.status === 404 && deleted.status === 200), `${made.text} ${deleted.text}`);
    });
    test('open a plan to a platform or end the platform, not both', async () => {
      const { id } = await registerPlatform(stage);
      const body = { service_plan_id: shop.plan('database/slow'), platform_id: id };
      const [, deleted] = await Promise.all([
        stage.post('/v1/visibilities', body),
        stage.delete(`/v1/platforms/${id}`),
      ]);
      assertStatus(deleted, 200);
      const query = encodeURIComponent(`platform_id eq '${id}'`);
      assert.equal((await stage.get(`/v1/visibilities?fieldQuery=${query}`)).body['num_items'], 0);
    });
    test('open a plan and end its broker leave no visibility behind', async () => {
      const other = await openShop(stage);
      const planId = other.plan('queue/sync');
      const [, deleted] = await Promise.all([
        stage.post('/v1/visibilities', { service_plan_id: planId }),
        stage.delete(`/v1/service_brokers/${other.id}`),
      ]);
      assertStatus(deleted, 200);
      const query = encodeURIComponent(`service_plan_id eq '${planId}'`);
      assert.equal((await stage.get(`/v1/visibilities?fieldQuery=${query}`)).body['num_items'], 0);
      await assert.rejects(openPlan(stage, planId));
    });
  });
}
