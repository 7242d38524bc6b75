import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allOutcomes } from '../endpoint-outcomes.ts';
import { assertError, assertStatus, at } from '../support/http.ts';
import { outcome, parseOutcome } from '../support/outcomes.ts';
import { registerPlatform } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Section 18.3: info, health, versions, settings; and the OpenAPI document. */
export function documents(stage: Stage): void {
  describe('documents', () => {
    const nobody = { as: 'nobody' } as const;
    outcome(stage, 'GET /v1/info 200', 'info says how to talk to the service manager', async () => {
      const info = await stage.get('/v1/info', nobody);
      assertStatus(info, 200);
      for (const field of ['token_issuer_url', 'service_manager_tenant_id'])
        assert.equal(typeof info.body[field], 'string');
      assert.equal(typeof info.body['token_basic_auth'], 'boolean');
      assert.match(String(info.body['context_rsa_public_key']), /^-----BEGIN PUBLIC KEY-----/);
      assert.doesNotMatch(info.text, /PRIVATE/);
    });
    outcome(stage, 'GET /v1/monitor/health 200', 'health tells whether, and operators also what', async () => {
      const seen = await stage.get('/v1/monitor/health', nobody);
      assert.deepEqual([seen.status, seen.body['status']], [200, 'UP']);
      const storage = at(seen.body, 'details', 'storage');
      assert.deepEqual([at(storage, 'name'), at(storage, 'status')], ['storage', 'UP']);
      assert.equal(typeof at(storage, 'check_time'), 'string');
      assert.equal(at(seen.body, 'details', 'platforms', 'details'), undefined);
      assert.ok(at((await stage.get('/v1/monitor/health')).body, 'details', 'platforms', 'details'));
      assertStatus(await stage.get('/v1/monitor/health', { as: { token: 'wrong' } }), 200);
    });
    outcome(stage, 'GET /v1/agents/versions 200', 'versions of proxies come from the settings', async () =>
      assert.deepEqual((await stage.get('/v1/agents/versions', nobody)).body, { 'k8s-proxy': ['1.0', '1.1'] }),
    );
    outcome(
      stage,
      ['GET /v1/config 200', 'GET /v1/config 401 Unauthorized'],
      'settings are shown without secrets, to operators',
      async () => {
        const config = await stage.get('/v1/config');
        assertStatus(config, 200);
        assert.equal(config.body['pollingIntervalMs'], 30);
        assert.doesNotMatch(config.text, /PRIVATE KEY/);
        assertError(await stage.get('/v1/config', nobody), 401, 'Unauthorized');
      },
    );
    outcome(
      stage,
      [
        'GET /v1/config/logging 200',
        'PUT /v1/config/logging 200',
        'PUT /v1/config/logging 400 BadRequest',
        'PUT /v1/config/logging 401 Unauthorized',
      ],
      'how the log is written can be changed',
      async () => {
        const before = await stage.get('/v1/config/logging');
        assertStatus(before, 200);
        const changed = await stage.put('/v1/config/logging', { level: 'warn' });
        assert.deepEqual(changed.body, { ...before.body, level: 'warn' });
        assert.deepEqual((await stage.get('/v1/config/logging')).body, changed.body);
        for (const body of [{ level: 'loud' }, { format: 'poem' }, { level: 3 }])
          assertError(await stage.put('/v1/config/logging', body), 400, 'BadRequest');
        assertStatus(await stage.put('/v1/config/logging', before.body), 200);
        assertError(await stage.put('/v1/config/logging', {}, nobody), 401, 'Unauthorized');
      },
    );
    test('profiles are not offered', async () => assertError(await stage.get('/v1/profile/heap'), 404, 'NotFound'));
    test('the table of outcomes has every endpoint of the OpenAPI document', async () => {
      const openApi = await stage.get('/openapi/service-manager.json', nobody);
      assertStatus(openApi, 200);
      assert.match(String(openApi.body['openapi']), /^3\.1/);
      const known = allOutcomes.map(parseOutcome);
      const endpoints = Object.entries(openApi.body['paths'] as object).flatMap(([path, methods]) =>
        Object.keys(methods as object).map(method => ({ path, method: method.toUpperCase() })),
      );
      // The surface of brokers has a suite of its own.
      const missing = endpoints
        .filter(({ path }) => !path.startsWith('/v1/osb/'))
        .filter(({ path, method }) => !known.some(outcome => outcome.method === method && outcome.path.test(path)));
      assert.deepEqual(missing, []);
      assert.ok(endpoints.length > 40);
    });
    test('a platform may read none of the settings', async () => {
      const { login: as } = await registerPlatform(stage);
      assertError(await stage.get('/v1/config/logging', { as }), 401, 'Unauthorized');
    });
  });
}
