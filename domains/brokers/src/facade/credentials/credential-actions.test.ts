import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../errors.ts';
import type { PlatformRow, Registry } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import {
  seedBroker,
  seedPlatform,
  seedRow,
  seedTenant,
  startTestRegistry,
  type TestRegistry,
} from '../../test-registry.ts';
import { basic, hashed, requestWith, startAuthenticator } from '../authentication/test-authentication.ts';
import type { CredentialActions } from '../rest/documents/credential-routes.ts';
import { createCredentialActions } from './credential-actions.ts';

let started: TestRegistry;
let registry: Registry;
let routes: CredentialActions;
let brokerId: string;
let hash: string;

const callerOf = ({ id }: PlatformRow): PlatformCaller => ({
  type: 'platform',
  platformId: id,
  username: id,
  usesOldCredentials: false,
});

let made = 0;
const nextName = (): string => `user-${++made}`;

/** The status and body of an answer, or of the refusal. */
async function outcome(call: Promise<{ status: number; body?: unknown }>): Promise<[number, JsonObject]> {
  try {
    const { status, body } = await call;
    return [status, body as JsonObject];
  } catch (thrown) {
    if (!(thrown instanceof SmError)) throw thrown;
    return [thrown.status, { error: thrown.code }];
  }
}

const put = (platform: PlatformRow, body: JsonObject, query = '') =>
  outcome(
    routes.put(callerOf(platform), { broker_id: brokerId, password_hash: hash, ...body }, new URLSearchParams(query)),
  );
const activate = (platform: PlatformRow, id: string) => outcome(routes.activate(callerOf(platform), id));

/** A platform whose credentials are in use, and their id. */
async function seedActive(): Promise<{ platform: PlatformRow; id: string; username: string }> {
  const platform = await seedPlatform(registry);
  const username = nextName();
  const [, { id }] = await put(platform, { username });
  await activate(platform, id as string);
  return { platform, id: id as string, username };
}

const notify = (platformIds: string[] | undefined, resourceId = brokerId, resource = '/v1/service_brokers') =>
  seedRow(registry, 'notifications', {
    spec: {
      resource: resource as '/v1/service_brokers',
      type: 'MODIFIED',
      resourceId,
      payload: {},
      ...(platformIds === undefined ? {} : { platformIds }),
    },
  });

suite('credentials for brokers', () => {
  before(async () => {
    started = await startTestRegistry();
    registry = started.registry;
    routes = createCredentialActions({ registry });
    brokerId = (await seedBroker(registry)).broker.id;
    hash = await hashed('secret');
  });
  after(() => started[Symbol.asyncDispose]());

  test('the first ones are stored, inactive, and the response has the hash that was sent, which agents check', async () => {
    const platform = await seedPlatform(registry);
    const username = nextName();
    const [status, body] = await put(platform, { username });
    const { id, created_at, updated_at, ...rest } = body;
    assert.equal(status, 200);
    const shown = { ready: true, platform_id: platform.id, broker_id: brokerId, username, active: false };
    assert.deepEqual(rest, { ...shown, password_hash: hash });
    assert.ok(created_at && updated_at);
    assert.deepEqual(registry.credentials.get(id as string)?.spec, {
      platformId: platform.id,
      brokerId,
      username,
      passwordHash: hash,
      isActive: false,
    });
    const caller = await startAuthenticator(registry).authenticateOsb(brokerId, requestWith(basic(username, 'secret')));
    assert.equal(caller.platformId, platform.id, 'accepted at once');
    const [, activated] = await activate(platform, id as string);
    assert.equal(activated['password_hash'], undefined, 'shown in no other response');
  });

  test('inactive ones are replaced, and the only working pair is kept beside them', async () => {
    const platform = await seedPlatform(registry);
    const [first, second, third] = [nextName(), nextName(), nextName()];
    const [, { id }] = await put(platform, { username: first });
    await put(platform, { username: second });
    assert.equal(registry.credentials.get(id as string)?.spec.old?.username, first);
    const [status, body] = await put(platform, { username: third });
    assert.deepEqual([status, body['id'], body['active']], [200, id, false]);
    assert.equal(registry.credentials.get(id as string)?.spec.old?.username, first);
  });

  test('every pair that the platform may have taken holds until it confirms one', async () => {
    const { platform, id, username: confirmed } = await seedActive();
    const [taken, forgotten] = [nextName(), nextName()];
    const authenticator = startAuthenticator(registry);
    const isAccepted = async (username: string): Promise<boolean> => {
      try {
        return (
          (await authenticator.authenticateOsb(brokerId, requestWith(basic(username, 'secret')))).platformId ===
          platform.id
        );
      } catch {
        return false;
      }
    };
    for (const username of [taken, forgotten]) await put(platform, { username }, 'force=true');
    for (const username of [confirmed, taken, forgotten]) assert.equal(await isAccepted(username), true, username);
    await put(platform, { username: nextName() }, 'force=true');
    await activate(platform, id);
    for (const username of [confirmed, taken, forgotten]) assert.equal(await isAccepted(username), false, username);
  });

  test('a platform that never confirms does not collect pairs', async () => {
    const { platform, id, username } = await seedActive();
    const names = Array.from({ length: 10 }, nextName);
    for (const name of names) await put(platform, { username: name }, 'force=true');
    const { old, tried } = registry.credentials.get(id)?.spec ?? {};
    assert.equal(old?.username, username);
    assert.deepEqual(
      tried?.map(pair => pair.username),
      names.slice(-4, -1),
    );
  });

  test('the same ones again change nothing', async () => {
    const platform = await seedPlatform(registry);
    const username = nextName();
    const [, body] = await put(platform, { username });
    assert.deepEqual(await put(platform, { username }), [200, body]);
  });

  test('active ones stay unless force or a notification says otherwise', async () => {
    const { platform, id, username } = await seedActive();
    assert.deepEqual(await put(platform, { username: nextName() }), [409, { error: 'CredentialsError' }]);
    const [status, body] = await put(platform, { username: nextName() }, 'force=true');
    assert.deepEqual([status, body['id'], body['active']], [200, id, false]);
    assert.equal(registry.credentials.get(id)?.spec.old?.username, username);
  });

  for (const audience of ['this platform', 'every platform'])
    test(`active ones are replaced because of a notification for ${audience}`, async () => {
      const { platform, id, username } = await seedActive();
      const notification = await notify(audience === 'every platform' ? undefined : ['x', platform.id]);
      const [status, body] = await put(platform, { username: nextName(), notification_id: notification.id });
      assert.deepEqual([status, body['active']], [200, false]);
      assert.equal(registry.credentials.get(id)?.spec.old?.username, username);
    });

  test('a notification must be known, for this platform and about this broker', async () => {
    const { platform } = await seedActive();
    const wrong = [
      await notify(['another platform']),
      await notify([platform.id], 'another broker'),
      await notify([platform.id], brokerId, '/v1/visibilities'),
      { id: 'unknown' },
    ];
    for (const { id } of wrong)
      assert.deepEqual(await put(platform, { username: nextName(), notification_id: id }), [
        400,
        { error: 'CredentialsError' },
      ]);
  });

  test('activation confirms them and ends the old pair, as often as it is asked for', async () => {
    const { platform, id } = await seedActive();
    await put(platform, { username: nextName() }, 'force=true');
    for (let attempt = 0; attempt < 2; attempt++) {
      const [status, body] = await activate(platform, id);
      assert.deepEqual([status, body['active']], [200, true]);
    }
    assert.equal(registry.credentials.get(id)?.spec.old, undefined);
  });

  test('a platform cannot activate or replace those of another', async () => {
    const { platform, id, username } = await seedActive();
    await put(platform, { username: nextName() }, 'force=true');
    const other = await seedPlatform(registry);
    assert.deepEqual(await activate(other, id), [404, { error: 'NotFound' }]);
    assert.deepEqual(await activate(other, 'unknown'), [404, { error: 'NotFound' }]);
    assert.equal(registry.credentials.get(id)?.spec.isActive, false);
    const [, body] = await put(other, { username: nextName() }, 'force=true');
    assert.notEqual(body['id'], id);
    assert.equal(registry.credentials.get(id)?.spec.old?.username, username);
  });

  test('a user name that another platform has for the broker is taken', async () => {
    const { username } = await seedActive();
    const other = await seedPlatform(registry);
    assert.deepEqual(await put(other, { username }), [409, { error: 'CredentialsError' }]);
  });

  test('several at once leave one record', async () => {
    const platform = await seedPlatform(registry);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => put(platform, { username: nextName() })));
    assert.deepEqual(new Set(outcomes.map(([status]) => status)), new Set([200]));
    assert.equal(new Set(outcomes.map(([, { id }]) => id)).size, 1);
  });

  test('brokers that are unknown or of another tenant do not exist', async () => {
    await seedTenant(started.client, 'tenant-a');
    const { broker } = await seedBroker(registry, { tenant: 'tenant-a' });
    const platform = await seedPlatform(registry);
    for (const broker_id of ['unknown', broker.id])
      assert.deepEqual(await put(platform, { broker_id, username: nextName() }), [404, { error: 'NotFound' }]);
    const own = await seedPlatform(registry, { tenant: 'tenant-a' });
    const [status, { id }] = await put(own, { broker_id: broker.id, username: nextName() });
    assert.equal(status, 200);
    assert.equal(registry.credentials.get(id as string)?.tenant, 'tenant-a');
  });

  const tail = 'abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234';
  const bodies: { body: JsonObject; status: number; why: string }[] = [
    { body: { username: '' }, status: 400, why: 'no user name' },
    { body: { username: 7 }, status: 400, why: 'a user name that is no text' },
    { body: { username: 'a:b' }, status: 400, why: 'a user name with a colon' },
    { body: { username: 'x'.repeat(256) }, status: 400, why: 'a long user name' },
    { body: { username: 'u1', broker_id: '' }, status: 400, why: 'no broker' },
    { body: { username: 'u2', password_hash: '' }, status: 400, why: 'no hash' },
    { body: { username: 'u3', password_hash: 'secret' }, status: 400, why: 'a password instead of a hash' },
    { body: { username: 'u4', password_hash: `$2x$10$${tail}` }, status: 400, why: 'an unknown variant' },
    { body: { username: 'u5', password_hash: `$2b$13$${tail}` }, status: 400, why: 'a hash that is too dear' },
    { body: { username: 'u6', password_hash: `$2b$03$${tail}` }, status: 400, why: 'a hash that is too cheap' },
    { body: { username: 'u7', password_hash: `$2b$12$${tail}x` }, status: 400, why: 'a hash that is too long' },
    { body: { username: 'u8', password_hash: `$2a$12$${tail}` }, status: 200, why: '2a' },
    { body: { username: 'u9', password_hash: `$2b$04$${tail}` }, status: 200, why: '2b' },
    { body: { username: 'u10', password_hash: `$2y$10$${tail}` }, status: 200, why: '2y' },
  ];
  for (const { body, status, why } of bodies)
    test(`a body with ${why} gets ${status}`, async () => {
      const [completed] = await put(await seedPlatform(registry), body);
      assert.equal(completed, status);
    });
});
