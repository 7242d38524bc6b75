import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeValue, formatKey, type ObjectKey, openStore, type Store } from '@chandlery/kernel';
import {
  addEncryptionKey,
  listEncryptionKeys,
  lockFolder,
  openLandscapeKeys,
  useNewestEncryptionKey,
} from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { dropEncryptionKey } from './drop-encryption-key.ts';

/** The second one is called as those of the fleet, but is a tenant's. */
const keys: readonly ObjectKey[] = ['s', 'sso-client-s'].map(name => ({
  ...{ cluster: 'onboarding', resource: '/secrets', namespace: 'default', name },
}));

async function write(store: Store, keysFolder: string): Promise<void> {
  const { keyring } = openLandscapeKeys(keysFolder, { now: new Date() });
  for (const key of keys) {
    const { bytes, splice } = encodeValue({ apiVersion: 'v1', kind: 'Secret', metadata: { name: key.name } });
    const value = { bytes: keyring.encrypt(bytes, formatKey(key)), splice };
    await store.commit({ writes: [{ type: 'put', key, expect: { type: 'any' }, value, terms: [] }] });
  }
}

test('a key stays as long as objects or history need it, then goes, and the landscape is still the same', async () => {
  await using data = await tempFolder();
  const folder = data.join('keys');
  const { identity } = openLandscapeKeys(folder, { now: new Date() });
  const inStore = async (work: (store: Store) => Promise<void>): Promise<void> => {
    await using store = await openStore({ type: 'sqlite', folder: data.path });
    await work(store);
  };
  const [old = ''] = listEncryptionKeys(folder);
  const drop = (keyId: string): Promise<void> => dropEncryptionKey({ folder, keyId, dataDir: data.path });

  await inStore(store => write(store, folder));
  await assert.rejects(drop(old), { code: 'InvalidKey', message: /is the one that encrypts/ });
  addEncryptionKey(folder, new Date());
  const added = useNewestEncryptionKey(folder);
  await assert.rejects(drop('f'.repeat(16)), { code: 'InvalidKey', message: /there is no key/ });
  await assert.rejects(drop(old), { code: 'KeyInUse', message: /2 objects are encrypted with it/ });
  {
    using _lock = lockFolder(data.path);
    await assert.rejects(drop(old), { code: 'FolderInUse' });
  }
  await inStore(store => write(store, folder));
  await assert.rejects(drop(old), { code: 'KeyInUse', message: /versions in the history/ });
  await inStore(async store => store.compact(await store.currentRevision()));
  await drop(old);
  assert.deepEqual(listEncryptionKeys(folder), [added]);
  assert.equal(openLandscapeKeys(folder, { now: new Date() }).identity, identity);
});
