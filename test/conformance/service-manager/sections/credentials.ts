import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { hashSync } from 'bcryptjs';
import { type Answer, assertError, assertStatus, at, type BasicLogin, textAt } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { proxyOf } from '../support/proxy.ts';
import { openShop, type RegisteredPlatform, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/credentials';

/** Section 13.3: the credentials by which a platform calls a broker. */
export function credentials(stage: Stage): void {
  describe('credentials of a platform for a broker', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const made = (): BasicLogin => ({ username: stage.name('user'), password: 'password' });
    const put = (
      platform: RegisteredPlatform,
      login: BasicLogin,
      more: { query?: string; notification_id?: string } = {},
    ): Promise<Answer> => {
      const { query = '', ...fields } = more;
      const body = {
        broker_id: shop.id,
        username: login.username,
        password_hash: hashSync(login.password, 4),
        ...fields,
      };
      return stage.put(path + query, body, { as: platform.login });
    };
    const activate = (platform: RegisteredPlatform, answer: Answer) =>
      stage.put(`${path}/${textAt(answer, 'id')}/activate`, {}, { as: platform.login });
    const works = async (as: BasicLogin): Promise<boolean> => {
      const catalog = await stage.get(`/v1/osb/${shop.id}/v2/catalog`, {
        as,
        headers: { 'x-broker-api-version': '2.17' },
      });
      return catalog.status === 200;
    };

    outcome(
      stage,
      [`PUT ${path} 200`, `PUT ${path}/:id/activate 200`],
      'are stored, hold at once, and are confirmed',
      async () => {
        const [platform, login] = [await registerPlatform(stage), made()];
        const stored = await put(platform, login);
        assertStatus(stored, 200);
        assert.deepEqual(
          [stored.body['broker_id'], stored.body['username'], stored.body['active']],
          [shop.id, login.username, false],
        );
        assert.match(textAt(stored, 'password_hash'), /^\$2/, 'agents compare the hash that they sent');
        assert.ok(await works(login));
        assert.ok(await works(platform.login), 'the own ones do until then');
        const activated = await activate(platform, stored);
        assert.equal(activated.body['active'], true);
        assert.doesNotMatch(activated.text, /\$2/, 'nobody else is shown the hash');
        assert.ok(await works(login));
        assert.ok(!(await works(platform.login)), 'deviation: no fall-back once a pair is active');
        assert.ok(!(await works({ ...login, password: 'wrong' })));
      },
    );
    test('that nobody confirmed are replaced; the last of them hold on, until one is confirmed', async () => {
      const platform = await registerPlatform(stage);
      const logins = Array.from({ length: 6 }, made);
      const answers: Answer[] = [];
      for (const login of logins) answers.push(await put(platform, login));
      assert.equal(new Set(answers.map(answer => textAt(answer, 'id'))).size, 1);
      assert.deepEqual(await Array.fromAsync(logins, works), [true, false, true, true, true, true]);
      for (const answer of answers.slice(-1)) assertStatus(await activate(platform, answer), 200);
      assert.deepEqual(await Array.fromAsync(logins, works), [false, false, false, false, false, true]);
    });
    outcome(
      stage,
      `PUT ${path} 409 CredentialsError`,
      'that are in use are replaced by force only; both hold until confirmed',
      async () => {
        const [platform, first, second] = [await registerPlatform(stage), made(), made()];
        await activate(platform, await put(platform, first));
        assertError(await put(platform, second), 409, 'CredentialsError');
        const forced = await put(platform, second, { query: '?force=true' });
        assertStatus(forced, 200);
        assert.deepEqual([await works(first), await works(second)], [true, true]);
        assertStatus(await activate(platform, forced), 200);
        assert.deepEqual([await works(first), await works(second)], [false, true]);
      },
    );
    outcome(
      stage,
      `PUT ${path} 400 CredentialsError`,
      'or because of a notification, which must be the right one',
      async () => {
        const [platform, other] = [await registerPlatform(stage), await registerPlatform(stage)];
        await activate(platform, await put(platform, made()));
        await using proxy = await proxyOf(stage, { login: platform.login });
        const isAbout = (id: string) => (message: object) => at(message, 'payload', 'new', 'resource', 'id') === id;
        assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, { description: stage.name('d') }), 200);
        const notification_id = String(at(await proxy.hear(isAbout(shop.id)), 'id'));
        const elsewhere = await openShop(stage);
        const foreign = String(at(await proxy.hear(isAbout(elsewhere.id)), 'id'));
        assertStatus(await put(platform, made(), { notification_id }), 200);
        assertError(await put(platform, made(), { notification_id: foreign }), 400, 'CredentialsError');
        assertError(await put(platform, made(), { notification_id: 'nothing' }), 400, 'CredentialsError');
        assertError(await put(other, made(), { notification_id: 'nothing' }), 400, 'CredentialsError');
      },
    );
    outcome(
      stage,
      [`PUT ${path} 400 BadRequest`, `PUT ${path} 404 NotFound`, `PUT ${path} 401 Unauthorized`],
      'need everything, a broker and a platform',
      async () => {
        const { login: as } = await registerPlatform(stage);
        const good = { broker_id: shop.id, username: 'u', password_hash: hashSync('p', 4) };
        for (const field of Object.keys(good))
          assertError(await stage.put(path, { ...good, [field]: undefined }, { as }), 400, 'BadRequest');
        assertError(await stage.put(path, { ...good, password_hash: 'plain' }, { as }), 400, 'BadRequest');
        assertError(await stage.put(path, { ...good, broker_id: 'nothing' }, { as }), 404, 'NotFound');
        assertError(await stage.put(path, good), 401, 'Unauthorized');
        assertError(await stage.put(path, good, { as: 'nobody' }), 401, 'Unauthorized');
      },
    );
    outcome(
      stage,
      [`PUT ${path}/:id/activate 404 NotFound`, `PUT ${path}/:id/activate 401 Unauthorized`],
      'of others are not confirmed (defect 17 not copied)',
      async () => {
        const [platform, other] = [await registerPlatform(stage), await registerPlatform(stage)];
        const stored = await put(platform, made());
        assertError(await activate(other, stored), 404, 'NotFound');
        assertError(await stage.put(`${path}/nothing/activate`, {}, { as: platform.login }), 404, 'NotFound');
        assertError(
          await stage.put(`${path}/${textAt(stored, 'id')}/activate`, {}, { as: 'nobody' }),
          401,
          'Unauthorized',
        );
      },
    );
    test('have user names that no other platform has for the broker', async () => {
      const [platform, other, login] = [await registerPlatform(stage), await registerPlatform(stage), made()];
      assertStatus(await put(platform, login), 200);
      assertError(await put(other, login), 409, 'CredentialsError');
    });
    test('hold for their broker only, and go with it', async () => {
      const [platform, login, elsewhere] = [await registerPlatform(stage), made(), await openShop(stage)];
      await put(platform, login);
      const headers = { 'x-broker-api-version': '2.17' };
      assertStatus(await stage.get(`/v1/osb/${elsewhere.id}/v2/catalog`, { as: login, headers }), 401);
      assertStatus(await stage.get('/v1/platforms', { as: login }), 401);
    });
    test('a suspended platform makes and changes nothing', async () => {
      const platform = await registerPlatform(stage);
      assertStatus(await stage.patch(`/v1/platforms/${platform.id}`, { suspended: true }), 200);
      const asked = { as: platform.login, headers: { 'x-broker-api-version': '2.17' } };
      const address = `/v1/osb/${shop.id}/v2`;
      assertError(await stage.put(`${address}/service_instances/x`, {}, asked), 400, 'BadRequest', /suspended/);
      assertError(await stage.patch(`${address}/service_instances/x`, {}, asked), 400, 'BadRequest', /suspended/);
      assertStatus(await stage.get(`${address}/catalog`, asked), 200);
    });
  });
}
