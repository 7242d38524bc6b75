import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKernelClient, Kernel, type Leadership, openStore, type Store, soleLeader } from '@chandlery/kernel';
import { createCertificateAuthority, Keyring, silentLogger, systemClock } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import { authorityRef } from './authority-secret.ts';
import { LandscapeAuthority } from './landscape-authority.ts';
import { trustNew } from './rotation.ts';

const now = new Date();
const first = createCertificateAuthority({ commonName: 'first', now });
const noLeader: Leadership = { start: () => undefined, [Symbol.asyncDispose]: async () => undefined };
const cipher = new Keyring([{ id: '0'.repeat(16), key: Buffer.alloc(32) }]);

/** A store whose reads of the authority's Secret fail when `onRead` throws. */
const unreliable = (store: Store, onRead: () => void): Store =>
  new Proxy(store, {
    get(_, name) {
      if (name === 'get')
        return async (key: Parameters<Store['get']>[0]) => {
          if (key.name === authorityRef.name) onRead();
          return store.get(key);
        };
      const value: unknown = Reflect.get(store, name);
      return typeof value === 'function' ? (value.bind(store) as unknown) : value;
    },
  });

async function openReplica(stack: AsyncDisposableStack, store: Store, leadership: Leadership) {
  const kernel = stack.use(new Kernel({ store, cipher, leadership, onFailure: () => undefined }));
  await kernel.start();
  const authority = await LandscapeAuthority.open({ kernel, first, clock: systemClock, logger: silentLogger });
  return { kernel, authority: stack.use(authority) };
}

const makeNext = () => createCertificateAuthority({ commonName: 'next', now });
const trust = (authority: LandscapeAuthority): Promise<void> =>
  authority.change(rotation => trustNew(rotation, makeNext, now));

test('a replica that cannot read a rotation when it is made follows it later', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const leader = await openReplica(stack, store, soleLeader);
  let isDown = false;
  let failures = 0;
  const onRead = (): void => {
    if (!isDown) return;
    failures += 1;
    throw new Error('the store cannot be read');
  };
  const other = await openReplica(stack, unreliable(store, onRead), noLeader);
  isDown = true;
  await trust(leader.authority);
  await eventually(() => failures > 0, { what: 'a read' });
  assert.equal(other.authority.rotation.version, 0);
  isDown = false;
  await eventually(() => other.authority.rotation.version === 1, { what: 'the rotation' });
  assert.equal(other.authority.oldName, 'first');
});

test('a listener that fails keeps no other from following, and the stage is entered all the same', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const { authority } = await openReplica(stack, store, soleLeader);
  const followed: string[] = [];
  authority.onChange(() => {
    throw new Error('the folder is read-only');
  });
  authority.onChange(() => void followed.push(authority.rotation.phase));
  await trust(authority);
  assert.deepEqual(followed, ['trusted']);
});

test('a rotation continues where it was when its Secret was deleted by hand', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const { kernel, authority } = await openReplica(stack, store, soleLeader);
  await trust(authority);
  await using client = createKernelClient(kernel, { cluster: 'platform' });
  await client.delete(authorityRef);
  await authority.change(rotation => ({ ...rotation, version: rotation.version + 1 }));
  assert.deepEqual([authority.rotation.version, authority.rotation.phase], [2, 'trusted']);
});
