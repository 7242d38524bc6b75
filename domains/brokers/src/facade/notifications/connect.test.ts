import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { NotificationRow } from '../../model/rows.ts';
import { createRegistry } from '../../registry/create-registry.ts';
import { type KnownPlatform, seedKnownPlatform } from '../authentication/test-authentication.ts';
import { connectProxy, notify, Rejected, startNotifications, startServer } from './test-notifications.ts';

suite('connecting by WebSocket', () => {
  let sm: Awaited<ReturnType<typeof startNotifications>>;
  let known: KnownPlatform;
  let stored: NotificationRow[];

  before(async () => {
    sm = await startNotifications({ notificationQueueSize: 3 });
    known = await seedKnownPlatform(sm.registry);
    stored = [];
    // Six for it, and one that is not.
    for (let index = 0; index < 7; index++)
      stored.push(
        await notify(sm.registry, index === 5 ? ['another'] : index % 2 === 0 ? undefined : [known.platform.id]),
      );
    await eventually(async () => {
      using proxy = await connect();
      return proxy.headers['last_notification_revision'] === String(revisionAt(6));
    });
  });
  after(() => sm[Symbol.asyncDispose]());

  const connect = (revision?: number | string) =>
    connectProxy(sm.address, { authorization: known.authorization, revision });
  const revisionAt = (index: number): number => (stored[index] as NotificationRow).revision;
  const rejection = async (connecting: Promise<unknown>): Promise<Rejected> => {
    const rejected = await connecting.catch((error: unknown) => error);
    assert.ok(rejected instanceof Rejected, 'it was not refused');
    return rejected;
  };

  test('without a revision only new notifications are sent, and the headers name the newest revision', async () => {
    using proxy = await connect();
    assert.equal(proxy.headers['last_notification_revision'], String(revisionAt(6)));
    assert.equal(proxy.headers['max_ping_period'], '30s');
    const next = await notify(sm.registry, [known.platform.id]);
    stored.push(next);
    assert.deepEqual(await proxy.heard(1), [
      {
        id: next.id,
        resource: '/v1/service_brokers',
        type: 'MODIFIED',
        platform_id: known.platform.id,
        revision: next.revision,
        payload: { text: 'ä' },
        correlation_id: 'some-request',
        ready: true,
        created_at: next.createdAt,
        updated_at: next.updatedAt,
      },
    ]);
  });

  test('an empty revision is none', async () => {
    using proxy = await connect('');
    assert.equal(proxy.headers['last_notification_revision'], String(stored.at(-1)?.revision));
  });

  test('from the newest revision only new notifications are sent', async () => {
    using proxy = await connect(stored.at(-1)?.revision);
    const next = await notify(sm.registry);
    stored.push(next);
    const [first] = await proxy.heard(1);
    assert.equal(first?.id, next.id);
    assert.equal(first?.platform_id, undefined);
  });

  test('what was missed comes first, in order, but nothing that is for others', async () => {
    const start = stored.length - 1;
    for (const platformIds of [undefined, ['another'], [known.platform.id, 'another'], undefined])
      stored.push(await notify(sm.registry, platformIds));
    using proxy = await connect(revisionAt(start));
    const wanted = [1, 3, 4].map(offset => stored[start + offset]?.id);
    assert.deepEqual(
      (await proxy.heard(3)).map(({ id }) => id),
      wanted,
    );
    assert.equal(proxy.messages[1]?.platform_id, undefined, 'other receivers are not named');
    stored.push(await notify(sm.registry));
    assert.equal((await proxy.heard(4))[3]?.id, stored.at(-1)?.id);
  });

  const statuses: { why: string; revision: () => number | string; status: number }[] = [
    { why: 'is no number', revision: () => 'x1', status: 400 },
    { why: 'is broken', revision: () => '1.5', status: 400 },
    { why: 'is zero', revision: () => 0, status: 410 },
    { why: 'is negative', revision: () => -1, status: 410 },
    { why: 'was never that of a notification', revision: () => revisionAt(0) - 1, status: 410 },
    { why: 'is greater than the newest', revision: () => (stored.at(-1)?.revision ?? 0) + 1, status: 410 },
    { why: 'is beyond all numbers', revision: () => '9'.repeat(30), status: 410 },
    { why: 'is more than the queue behind', revision: () => revisionAt(0), status: 410 },
  ];
  for (const { why, revision, status } of statuses)
    test(`a revision that ${why} gets ${status}`, async () => {
      const rejected = await rejection(connect(revision()));
      assert.equal(rejected.status, status);
      if (status === 410) assert.equal(rejected.body, '');
      else assert.equal((JSON.parse(rejected.body) as { error: string }).error, 'BadRequest');
    });

  test('a revision that is not stored any more gets 410', async () => {
    const { registry, client } = sm;
    const [gone, kept] = [await notify(registry), await notify(registry)];
    const ref = { group: 'brokers.chandlery.io', version: 'v1alpha1', plural: 'notifications' };
    await client.delete({ ...ref, namespace: gone.tenant, name: gone.id });
    await eventually(async () => (await rejection(connect(gone.revision))).status === 410);
    using proxy = await connect(kept.revision);
    assert.equal(proxy.headers['last_notification_revision'], String(kept.revision));
  });

  test('who is no platform gets 401', async () => {
    const technical = await seedKnownPlatform(sm.registry, { spec: { technical: true } });
    for (const authorization of [
      undefined,
      'Basic eDp5',
      'Bearer operator',
      'Bearer tenant',
      technical.authorization,
    ]) {
      const rejected = await rejection(connectProxy(sm.address, { authorization }));
      assert.equal(rejected.status, 401);
      assert.match(rejected.headers['www-authenticate'] ?? '', /^Basic/);
      assert.equal((JSON.parse(rejected.body) as { error: string }).error, 'Unauthorized');
    }
  });

  test('concurrent commits of several replicas are sent by each of them once and in the order of revisions', async () => {
    await using other = createRegistry({ client: sm.client });
    await other.synced;
    await using replica = await startServer({ registry: other, client: sm.client });
    const { authorization } = known;
    using here = await connectProxy(sm.address, { authorization });
    using there = await connectProxy(replica.address, { authorization });
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) => notify(index % 2 === 0 ? sm.registry : other)),
    );
    const revisions = made.map(({ revision }) => revision).sort((left, right) => left - right);
    for (const proxy of [here, there])
      assert.deepEqual(
        (await proxy.heard(40)).map(({ revision }) => revision),
        revisions,
      );
  });

  test('a landscape without notifications sends no revision and accepts none', async () => {
    await using empty = await startNotifications();
    const { authorization } = await seedKnownPlatform(empty.registry);
    using proxy = await connectProxy(empty.address, { authorization });
    assert.equal(proxy.headers['last_notification_revision'], undefined);
    assert.equal((await rejection(connectProxy(empty.address, { authorization, revision: 0 }))).status, 410);
    await notify(empty.registry);
    await proxy.heard(1);
  });
});
