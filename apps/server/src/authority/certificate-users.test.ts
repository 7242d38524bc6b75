import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, silentLogger } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { CertificateUsers, maxCertificateUsers } from './certificate-users.ts';

const systemNamespace = { group: '', version: 'v1', plural: 'namespaces', name: 'kube-system' };

async function openUsers(oldName: () => string | undefined) {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const client = plane.connect('platform');
  await client.get(systemNamespace);
  const users = stack.use(new CertificateUsers({ client, oldName, clock: new ManualClock(), logger: silentLogger }));
  const kept = stack.move();
  return { users, client, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const of = (commonName: string, issuer: string) => ({ commonName, issuer, organizations: [] });

test('who shows a certificate of the authority that is being replaced is listed, nobody else', async () => {
  await using idle = await openUsers(() => undefined);
  idle.users.note(of('ann', 'first'));
  assert.deepEqual(await idle.users.list(), []);
  await using opened = await openUsers(() => 'first');
  const { users } = opened;
  users.note(of('ann', 'first'));
  users.note(of('ben', 'second'));
  assert.deepEqual(
    (await users.list()).map(({ user }) => user),
    ['ann'],
  );
});

test('those of a rotation that has ended by time leave the room to those of the next one', async () => {
  let old: string | undefined = 'first';
  await using opened = await openUsers(() => old);
  const { users } = opened;
  for (let number = 0; number < maxCertificateUsers; number++) users.note(of(`user-${number}`, 'first'));
  assert.equal((await users.list()).length, maxCertificateUsers);
  old = undefined;
  users.note(of('late', 'first'));
  old = 'second';
  assert.deepEqual(await users.list(), []);
  users.note(of('ann', 'second'));
  assert.deepEqual(
    (await users.list()).map(({ user }) => user),
    ['ann'],
  );
});

test('those who could not be written are written later', async () => {
  await using opened = await openUsers(() => 'first');
  const { client } = opened;
  let isDown = true;
  const create: typeof client.create = async (...args) => {
    if (isDown) throw new Error('the store cannot be written to');
    return client.create(...args);
  };
  const get: typeof client.get = (...args) => client.get(...args);
  const patch: typeof client.patch = (...args) => client.patch(...args);
  const remove: typeof client.delete = (...args) => client.delete(...args);
  const deps = { client: { create, get, patch, delete: remove }, oldName: () => 'first' };
  await using users = new CertificateUsers({ ...deps, clock: new ManualClock(), logger: silentLogger });
  users.note(of('ann', 'first'));
  await assert.rejects(users.list(), /cannot be written/);
  isDown = false;
  assert.equal((await users.list()).length, 1);
});
