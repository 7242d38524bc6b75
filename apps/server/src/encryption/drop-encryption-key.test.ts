import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fleetManagedLabel } from '@chandlery/fleet/kinds';
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
import { claimStore } from './keys-of-store.ts';

/** Tenants name and label Secrets as they like: the second one looks like one of the fleet's. */
const keys: readonly ObjectKey[] = ['s', 'sso-client-s'].map(name => ({
  ...{ cluster: 'onboarding', resource: '/secrets', namespace: 'default', name },
}));

async function write(store: Store, keysFolder: string): Promise<void> {
  const landscapeKeys = openLandscapeKeys(keysFolder, { now: new Date() });
  await claimStore(store, landscapeKeys);
  for (const key of keys) {
    const metadata = { name: key.name, namespace: key.namespace, labels: { [fleetManagedLabel]: 'true' } };
    const { bytes, splice } = encodeValue({ apiVersion: 'v1', kind: 'Secret', metadata });
    const value = { bytes: landscapeKeys.keyring.encrypt(bytes, formatKey(key)), splice };
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

test('a key stays when no store, or that of another landscape, could say what needs it', async () => {
  await using data = await tempFolder();
  const folder = data.join('keys');
  openLandscapeKeys(folder, { now: new Date() });
  const [old = ''] = listEncryptionKeys(folder);
  addEncryptionKey(folder, new Date());
  useNewestEncryptionKey(folder);
  const drop = (): Promise<void> => dropEncryptionKey({ folder, keyId: old, dataDir: data.path });
  // As when the flag --database was forgotten.
  await assert.rejects(drop(), { code: 'NoSuchFile', message: /no store in/, hint: /--database/ });
  assert.deepEqual(await readdir(data.path), ['keys'], 'nothing was created');
  await using other = await tempFolder();
  const others = openLandscapeKeys(other.join('keys'), { now: new Date() });
  {
    await using store = await openStore({ type: 'sqlite', folder: data.path });
    await claimStore(store, others);
  }
  await assert.rejects(drop(), { code: 'KeysMismatch', message: /not that of the landscape/, hint: /--database/ });
  assert.ok(listEncryptionKeys(folder).includes(old));
});
