import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { hash } from 'bcryptjs';
import { newPlatformCredentials } from '../../actions/platform-credentials.ts';
import { SmError } from '../../errors.ts';
import { ownPlatformId } from '../../kinds/index.ts';
import { recordRemoval } from '../../model/operations/removed-platform.ts';
import { type Registry, removeRow, updateRow } from '../../model/rows.ts';
import { startTestRegistry, type TestRegistry } from '../../test-registry.ts';
import type { Authenticator } from './authenticator.ts';
import { basic, requestWith, seedCredential, seedKnownPlatform, startAuthenticator } from './test-authentication.ts';

const isSmError = (code: string) => (error: unknown) => error instanceof SmError && error.code === code;
const unauthorized = isSmError('Unauthorized');

let started: TestRegistry;
let registry: Registry;
let authenticator: Authenticator;

/** Authenticates at a broker; returns the code of a rejection. */
async function osbCaller(brokerId: string, authorization?: string, from = authenticator) {
  try {
    return await from.authenticateOsb(brokerId, requestWith(authorization));
  } catch (thrown) {
    return thrown instanceof SmError ? thrown.code : thrown;
  }
}

suite('callers', () => {
  before(async () => {
    started = await startTestRegistry();
    registry = started.registry;
    authenticator = startAuthenticator(registry);
  });
  after(() => started[Symbol.asyncDispose]());

  test('a platform is known by its present and by its replaced credentials', async () => {
    const old = newPlatformCredentials();
    const { platform, authorization, login } = await seedKnownPlatform(registry, {
      status: { oldCredentials: old.stored },
    });
    const known = { type: 'platform', platformId: platform.id };
    assert.deepEqual(await authenticator.authenticate(requestWith(authorization)), {
      ...known,
      username: login.username,
      usesOldCredentials: false,
    });
    assert.deepEqual(await authenticator.authenticate(requestWith(basic(old.username, old.password))), {
      ...known,
      username: old.username,
      usesOldCredentials: true,
    });
    for (const wrong of [
      basic(login.username, old.password),
      basic(old.username, login.password),
      basic(login.username, ''),
    ])
      await assert.rejects(authenticator.authenticate(requestWith(wrong)), unauthorized);
  });

  test('credentials of a deleted platform get PlatformDeleted, wrong ones do not', async () => {
    const { platform, authorization, login } = await seedKnownPlatform(registry);
    await registry.commit([removeRow('platforms', platform), ...recordRemoval(registry, platform)]);
    await assert.rejects(authenticator.authenticate(requestWith(authorization)), isSmError('PlatformDeleted'));
    await assert.rejects(authenticator.authenticate(requestWith(basic(login.username, 'wrong'))), unauthorized);
  });

  test('a technical platform cannot authenticate, even with credentials', async () => {
    const { authorization } = await seedKnownPlatform(registry, { spec: { technical: true } });
    await assert.rejects(authenticator.authenticate(requestWith(authorization)), unauthorized);
    assert.equal(await osbCaller('b', authorization), 'Unauthorized');
  });

  const users = [
    { authorization: 'Bearer operator', caller: 'operator admin' },
    { authorization: basic('anybody', 'operator'), caller: 'operator admin' },
    { authorization: 'Bearer tenant', caller: 'user tom' },
    { authorization: 'Bearer stranger', caller: 'Unauthorized' },
    { authorization: basic('nobody', 'knows'), caller: 'Unauthorized' },
    { authorization: 'Basic !', caller: 'Unauthorized' },
    { authorization: undefined, caller: 'Unauthorized' },
  ];
  for (const { authorization, caller } of users)
    test(`${authorization} is ${caller}`, async () => {
      const found = await authenticator.authenticate(requestWith(authorization)).catch((error: unknown) => error);
      if (found instanceof SmError) return assert.equal(found.code, caller);
      const { type, username } = found as { type: string; username: string };
      assert.equal(`${type} ${username}`, caller);
    });

  test('at a broker the operator is the own platform, and a user is rejected', async () => {
    const own = { type: 'platform', platformId: ownPlatformId, username: 'admin', usesOldCredentials: false };
    assert.deepEqual(await osbCaller('b', 'Bearer operator'), own);
    assert.deepEqual(await osbCaller('b', basic('anybody', 'operator')), own);
    for (const authorization of ['Bearer tenant', 'Bearer stranger', undefined])
      assert.equal(await osbCaller('b', authorization), 'Unauthorized');
  });

  test('credentials for a broker hold for that broker only, both pairs of them', async () => {
    const { platform } = await seedKnownPlatform(registry);
    const where = { platformId: platform.id, brokerId: 'pairs' };
    await seedCredential(registry, { ...where, password: 'new', old: 'older' });
    const caller = { type: 'platform', platformId: platform.id };
    assert.deepEqual(await osbCaller('pairs', basic('u-new', 'new')), {
      ...caller,
      username: 'u-new',
      usesOldCredentials: false,
    });
    assert.deepEqual(await osbCaller('pairs', basic('u-older', 'older')), {
      ...caller,
      username: 'u-older',
      usesOldCredentials: true,
    });
    assert.equal(await osbCaller('another', basic('u-new', 'new')), 'Unauthorized');
    assert.equal(await osbCaller('pairs', basic('u-new', 'older')), 'Unauthorized');
    await assert.rejects(authenticator.authenticate(requestWith(basic('u-new', 'new'))), unauthorized);
  });

  test('an authenticated caller is cached until the credentials change', async () => {
    const { platform } = await seedKnownPlatform(registry);
    const row = await seedCredential(registry, { platformId: platform.id, brokerId: 'hot', password: 'hot' });
    const request = requestWith(basic('u-hot', 'hot'));
    assert.ok(authenticator.authenticateOsb('hot', request) instanceof Promise);
    await osbCaller('hot', basic('u-hot', 'hot'));
    assert.equal((authenticator.authenticateOsb('hot', request) as { platformId?: string }).platformId, platform.id);
    await registry.commit([updateRow({ table: 'credentials', row, spec: { ...row.spec, username: 'other' } })]);
    assert.equal(await osbCaller('hot', basic('u-hot', 'hot')), 'Unauthorized');
  });

  test('credentials that are activated during the comparison are accepted', async () => {
    const { platform } = await seedKnownPlatform(registry);
    const seeded = await seedCredential(registry, { platformId: platform.id, brokerId: 'late', password: 'late' });
    // A hash that takes longer to compare than a commit takes.
    const spec = { ...seeded.spec, passwordHash: await hash('late', 11) };
    await registry.commit([updateRow({ table: 'credentials', row: seeded, spec })]);
    const row = registry.credentials.get(seeded.id);
    assert.ok(row !== undefined);
    const asked = osbCaller('late', basic('u-late', 'late'));
    await registry.commit([updateRow({ table: 'credentials', row, spec: { ...spec, isActive: true } })]);
    assert.equal(((await asked) as { platformId?: string }).platformId, platform.id);
  });

  test('a cached caller is rejected after its platform was deleted', async () => {
    const { platform } = await seedKnownPlatform(registry);
    await seedCredential(registry, { platformId: platform.id, brokerId: 'gone', password: 'gone' });
    assert.notEqual(await osbCaller('gone', basic('u-gone', 'gone')), 'Unauthorized');
    await registry.commit([removeRow('platforms', platform)]);
    assert.equal(await osbCaller('gone', basic('u-gone', 'gone')), 'Unauthorized');
  });

  test("a platform's own credentials do until those for the broker are active", async () => {
    const { platform, authorization } = await seedKnownPlatform(registry);
    const platformIdOf = async (brokerId: string) =>
      ((await osbCaller(brokerId, authorization)) as { platformId?: string }).platformId;
    assert.equal(await platformIdOf('own'), platform.id);
    const row = await seedCredential(registry, { platformId: platform.id, brokerId: 'own', password: 'own' });
    assert.equal(await platformIdOf('own'), platform.id);
    await registry.commit([updateRow({ table: 'credentials', row, spec: { ...row.spec, isActive: true } })]);
    assert.equal(await osbCaller('own', authorization), 'Unauthorized');
    assert.equal(await platformIdOf('of another broker'), platform.id);
  });

  test("a platform's own credentials end at brokers too when they are replaced", async () => {
    const { platform, authorization } = await seedKnownPlatform(registry);
    assert.notEqual(await osbCaller('b', authorization), 'Unauthorized');
    const status = { ...platform.status, credentials: newPlatformCredentials().stored };
    await registry.commit([updateRow({ table: 'platforms', row: platform, status })]);
    assert.equal(await osbCaller('b', authorization), 'Unauthorized');
  });

  test('too many wrong passwords are rejected without comparison, and right ones still work', async () => {
    const strict = startAuthenticator(registry, { checkLimits: { atOnce: 1, penaltyMs: 600_000 } });
    const { platform } = await seedKnownPlatform(registry);
    await seedCredential(registry, { platformId: platform.id, brokerId: 'slow', password: 'slow' });
    const attempt = (password: string) => osbCaller('slow', basic('u-slow', password), strict);
    const right = await Promise.all(Array.from({ length: 20 }, () => attempt('slow')));
    assert.equal(new Set(right.map(caller => (caller as { platformId?: string }).platformId)).size, 1);
    assert.equal(await attempt('wrong'), 'Unauthorized');
    assert.equal(await attempt('another'), 'TooManyRequests');
    assert.equal(await attempt('wrong'), 'Unauthorized', 'it is known to be wrong');
    assert.equal(((await attempt('slow')) as { platformId?: string }).platformId, platform.id);
  });
});
