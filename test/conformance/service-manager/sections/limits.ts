import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, assertStatus, type Body, itemsOf } from '../support/http.ts';
import { locationOf, operationWhere, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { openPlan, openShop, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Settings under which the server says no more often. */
export const narrowSettings = {
  rateLimit: '3-H:/v1/visibilities:GET,100-H:/v1/service_plans,2-H:/v1/credentials:PUT',
  rateLimitExempt: ['exempt-platform'],
  protectedLabels: ['owner'],
  disabledQueryParameters: ['environment'],
  enableInstanceTransfer: false,
  requestTimeoutMs: 600,
  mitigationIntervalMs: 50,
  reconciliationTimeoutMs: 300,
};

/** Sections 2, 8 and 18.2: what the server refuses by its settings. */
export function limits(stage: Stage): void {
  describe('limits', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    rates(stage);
    const shopOf = () => shop;
    others(stage, shopOf);
  });
}

function rates(stage: Stage): void {
  outcome(
    stage,
    'GET /v1/visibilities 429 TooManyRequests',
    'a caller who asks too often is told when to come back',
    async () => {
      const { login: as } = await registerPlatform(stage);
      for (const left of ['2', '1', '0']) {
        const answer = await stage.get('/v1/visibilities', { as });
        assertStatus(answer, 200);
        assert.deepEqual([answer.headers['ratelimit-limit'], answer.headers['ratelimit-remaining']], ['3', left]);
      }
      const refused = await stage.get('/v1/visibilities', { as });
      assertError(refused, 429, 'TooManyRequests');
      assert.ok(Date.parse(refused.headers['retry-after'] ?? '') > Date.now());
      assert.ok(Number(refused.body['retry_after_seconds']) > 3000);
      assert.equal(refused.body['retryable'], true);
      assertStatus(await stage.get('/v1/visibilities/x', { as }), 429);
      assertStatus(await stage.get('/v1/service_plans', { as }), 200);
    },
  );
  test('others are not limited by it, nor operators, nor those who are exempt', async () => {
    const [other, exempt] = [await registerPlatform(stage), await registerPlatform(stage, { name: 'exempt-platform' })];
    assertStatus(await stage.get('/v1/visibilities', { as: other.login }), 200);
    for (let count = 0; count < 5; count++) {
      assertStatus(await stage.get('/v1/visibilities'), 200);
      assertStatus(await stage.get('/v1/visibilities', { as: exempt.login }), 200);
    }
  });
  outcome(stage, 'PUT /v1/credentials 429 TooManyRequests', 'a PUT counts too (deviation: it never did)', async () => {
    const { login: as } = await registerPlatform(stage);
    for (let count = 0; count < 2; count++) assertStatus(await stage.put('/v1/credentials', {}, { as }), 400);
    assertError(await stage.put('/v1/credentials', {}, { as }), 429, 'TooManyRequests');
  });
}

function others(stage: Stage, shop: () => Shop): void {
  test('a protected label cannot be set', async () => {
    const body = { name: stage.name('p'), type: 't', labels: { owner: ['me'] } };
    assertError(await stage.post('/v1/platforms', body), 400, 'BadRequest', /protected/);
    const { id } = await registerPlatform(stage);
    for (const op of ['add', 'add_values', 'remove', 'remove_values']) {
      const labels = [{ op, key: 'owner', values: ['me'] }];
      assertError(await stage.patch(`/v1/platforms/${id}`, { labels }), 400, 'BadRequest');
    }
    const labels = [{ op: 'add', key: 'owner', values: ['me'] }];
    assertError(await stage.patch(`/v1/service_plans/${shop().plan('queue/sync')}`, { labels }), 400, 'BadRequest');
  });
  outcome(
    stage,
    [
      'GET /v1/service_offerings?environment 501 NotImplemented',
      'GET /v1/service_plans?environment 501 NotImplemented',
    ],
    'a query parameter that is switched off is not implemented',
    async () => {
      for (const type of ['service_offerings', 'service_plans'])
        assertError(await stage.get(`/v1/${type}?environment=cf`), 501, 'NotImplemented');
      assertStatus(await stage.get('/v1/platforms?environment=cf'), 200);
    },
  );
  outcome(stage, 'PATCH /v1/service_instances/:id 400 TransferDisabled', 'a transfer can be switched off', async () => {
    const platform = await registerPlatform(stage);
    const planId = shop().plan('database/sync');
    await openPlan(stage, planId);
    const id = await provisionOverOsb(stage, shop(), { platform, planId });
    const answer = await stage.patch(`/v1/service_instances/${id}`, { platform_id: 'service-manager' });
    assertError(answer, 400, 'TransferDisabled');
  });
  outcome(
    stage,
    'POST /v1/service_instances 503 Timeout',
    'a request that takes too long is answered, and its operation goes on',
    async () => {
      const name = stage.name('instance');
      const body = { name, service_plan_id: shop().plan('database/slow') };
      const answer = await stage.post('/v1/service_instances?async=false', body);
      assertError(answer, 503, 'Timeout', /operation has timed out/);
      const [instance] = itemsOf(
        await stage.get(
          `/v1/service_instances?fieldQuery=${encodeURIComponent(`name eq '${name}'`)}&attach_last_operations=true`,
        ),
      );
      assert.equal(instance?.['ready'], false);
      assert.match(JSON.stringify(instance['last_operation']), /"state":"in progress"/);
    },
  );
}

/** Section 10.6, the end of it: mitigation gives up. */
export function givingUp(stage: Stage): void {
  test('when the time for cleaning up is over, a person must look, and can delete it', async () => {
    const { broker, plan } = await openShop(stage);
    broker.misbehave({ type: 'answer', status: 500, body: { description: 'first' } }, { method: 'PUT', acts: true });
    broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'DELETE', times: Number.POSITIVE_INFINITY });
    const body = { name: stage.name('instance'), service_plan_id: plan('database/sync') };
    const accepted = await stage.post('/v1/service_instances?async=true', body);
    const isGivenUp = ({ description }: Body) => String(description).startsWith('ManualActionRequired');
    const operation = await operationWhere(stage, locationOf(accepted), isGivenUp);
    assert.deepEqual([operation['state'], operation['deletion_scheduled']], ['failed', '0001-01-01T00:00:00Z']);
    assert.match(JSON.stringify(operation['errors']), /first/, 'the first error stays');
    const address = `/v1/service_instances/${resourceIdOf(accepted)}`;
    assert.equal((await stage.get(address)).body['ready'], false);
    broker.behave();
    assertStatus(await stage.delete(address), 200);
    assert.equal(broker.instances.size, 0);
  });
}
