import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { Keyring } from '../crypto/keyring.ts';
import {
  isFileMissing,
  permissionWarning,
  readFileIfPresent,
  syncFolder,
  writeFileAtomically,
  writeFileDurably,
} from '../files/private-files.ts';
import {
  createEncryptionKey,
  createKeyFiles,
  formatEncryptionKeys,
  type KeyFiles,
  type KeySet,
  keyFileNames,
  parseKeyFiles,
  type StoredEncryptionKey,
  usableKeys,
} from './key-set.ts';

/** The keys of a landscape, as long as its process runs. */
export interface LandscapeKeys extends Omit<KeySet, 'encryptionKeys'> {
  readonly folder: string;
  /** True when this call made the keys. */
  readonly isNew: boolean;
  /** For data at rest; follows rotations by itself. */
  readonly keyring: Keyring;
  /** Ids of the encryption keys, the one that encrypts first, and when they were made. */
  readonly encryptionKeyIds: readonly Pick<StoredEncryptionKey, 'id' | 'createdAt'>[];
  /** What an operator should put right, one sentence each. */
  readonly warnings: readonly string[];
  /** Puts a new encryption key in use; the old ones stay for reading. Returns the new key's id. */
  rotateEncryptionKey(now: Date): string;
  /** All keys as text, for a backup. As secret as the keys themselves. */
  exportKeys(): KeyFiles;
}

const expiryWarningMs = 90 * 24 * 60 * 60 * 1000;

/**
 * Opens the keys in `folder`, making them on the first start.
 *
 * The folder appears with all files at once, so that a folder with only some of them was damaged: it is rejected with
 * `KeysIncomplete` or `KeysCorrupted` and never completed, as new keys would make the landscape's data unreadable.
 * The caller holds the lock on the data folder.
 */
export function openLandscapeKeys(folder: string, { now }: { readonly now: Date }): LandscapeKeys {
  const present = readKeyFiles(folder);
  const files = present ?? createKeyFiles(now);
  if (present === undefined) writeKeyFolder(folder, files);
  return landscapeKeys(folder, { files, isNew: present === undefined, now });
}

/**
 * Puts exported keys into a folder that has none, as a restore does. When the folder holds keys of the same landscape,
 * encryption keys that it lacks are added; keys of another landscape are rejected with `KeysExist`.
 */
export function importKeys(folder: string, files: KeyFiles): void {
  const imported = parseKeyFiles(files);
  const presentFiles = readKeyFiles(folder);
  if (presentFiles === undefined) return writeKeyFolder(folder, files);
  const present = parseKeyFiles(presentFiles);
  if (present.identity !== imported.identity) throw keysExist(folder);
  const known = new Set(present.encryptionKeys.map(key => key.id));
  const lacking = imported.encryptionKeys.filter(key => !known.has(key.id));
  if (lacking.length === 0) return;
  writeFileAtomically(join(folder, 'encryption.json'), formatEncryptionKeys([...lacking, ...present.encryptionKeys]));
}

/**
 * Adds an encryption key that is only read with until {@link useNewestEncryptionKey}, so that replicas can learn it before
 * any of them encrypts with it. Returns its id. No process may have opened the folder.
 */
export function addEncryptionKey(folder: string, now: Date): string {
  const [active, ...others] = readEncryptionKeys(folder);
  const added = createEncryptionKey(now);
  writeEncryptionKeys(folder, active === undefined ? [added] : [active, added, ...others]);
  return added.id;
}

/**
 * Makes the newest encryption key the one that encrypts. Returns its id. Rejects with `InvalidKey` when there is only one.
 * No process may have opened the folder.
 */
export function useNewestEncryptionKey(folder: string): string {
  const keys = readEncryptionKeys(folder);
  if (keys.length === 1)
    throw new ChandleryError('InvalidKey', `there is one key only in ${folder}, which encrypts already`, {
      hint: 'Add another one first: npx chandlery keys rotate FOLDER --stage add.',
    });
  const newest = keys.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))[0];
  if (newest === undefined) throw keysMissing(folder);
  writeEncryptionKeys(folder, [newest, ...keys.filter(({ id }) => id !== newest.id)]);
  return newest.id;
}

/**
 * Removes an encryption key that no ciphertext needs any more: the caller has made sure. Rejects with `InvalidKey` for
 * the key that encrypts, and for one that is not there. No process may have opened the folder.
 */
export function removeEncryptionKey(folder: string, id: string): void {
  const keys = readEncryptionKeys(folder);
  if (keys[0]?.id === id)
    throw notRemovable(`key ${id} is the one that encrypts`, 'Make another key first: npx chandlery keys rotate.');
  if (!keys.some(key => key.id === id))
    throw notRemovable(`there is no key ${id} in ${folder}`, `It has ${keys.map(key => key.id).join(', ')}.`);
  writeEncryptionKeys(
    folder,
    keys.filter(key => key.id !== id),
  );
}

/** The ids of the encryption keys in a folder, the one that encrypts first. */
export const listEncryptionKeys = (folder: string): readonly string[] => readEncryptionKeys(folder).map(({ id }) => id);

const notRemovable = (why: string, hint: string): ChandleryError =>
  new ChandleryError('InvalidKey', `cannot remove the encryption key: ${why}`, { hint });

function readEncryptionKeys(folder: string): readonly StoredEncryptionKey[] {
  const files = readKeyFiles(folder);
  if (files === undefined) throw keysMissing(folder);
  return parseKeyFiles(files).encryptionKeys;
}

const writeEncryptionKeys = (folder: string, keys: readonly StoredEncryptionKey[]): void =>
  writeFileAtomically(join(folder, 'encryption.json'), formatEncryptionKeys(keys));

const keysMissing = (folder: string): ChandleryError =>
  new ChandleryError('KeysIncomplete', `there are no keys in ${folder}`, {
    hint: 'Name the folder "keys" of a data folder.',
  });

const keysExist = (folder: string): ChandleryError =>
  new ChandleryError('KeysExist', `${folder} already holds the keys of another landscape`, {
    hint: 'Restore into an empty data folder.',
  });

function landscapeKeys(
  folder: string,
  { files, isNew, now }: { readonly files: KeyFiles; readonly isNew: boolean; readonly now: Date },
): LandscapeKeys {
  const { encryptionKeys, ...set } = parseKeyFiles(files);
  const keyring = new Keyring(usableKeys(encryptionKeys));
  let currentKeys = encryptionKeys;
  return {
    ...set,
    folder,
    isNew,
    keyring,
    encryptionKeyIds: encryptionKeys.map(({ id, createdAt }) => ({ id, createdAt })),
    warnings: [...permissionWarnings(folder), ...expiryWarnings(set.authority.notAfter, now)],
    rotateEncryptionKey(rotatedAt) {
      const added = createEncryptionKey(rotatedAt);
      const rotated = [added, ...currentKeys];
      // On disk before in use: no ciphertext may exist whose key could be lost.
      writeFileAtomically(join(folder, 'encryption.json'), formatEncryptionKeys(rotated));
      currentKeys = rotated;
      keyring.replace(usableKeys(rotated));
      return added.id;
    },
    exportKeys: () => ({ ...files, 'encryption.json': formatEncryptionKeys(currentKeys) }),
  };
}

function readKeyFiles(folder: string): KeyFiles | undefined {
  const found = keyFileNames.map(name => [name, readFileIfPresent(join(folder, name))] as const);
  const missing = found.filter(([, text]) => text === undefined).map(([name]) => name);
  if (missing.length === 0) return Object.fromEntries(found) as KeyFiles;
  if (missing.length === keyFileNames.length && isAbsentOrEmpty(folder)) return undefined;
  throw new ChandleryError('KeysIncomplete', `the keys folder ${folder} lacks ${missing.join(', ')}`, {
    hint: 'Restore the whole folder from a backup. New keys could not read the data of this landscape.',
  });
}

function isAbsentOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (isFileMissing(error)) return true;
    throw error;
  }
}

/** Fills a folder beside the real one and renames it, so that a crash leaves either no keys or all of them. */
function writeKeyFolder(folder: string, files: KeyFiles): void {
  const temporary = `${folder}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(temporary, { mode: 0o700 });
  for (const name of keyFileNames) writeFileDurably(join(temporary, name), files[name], 0o600);
  syncFolder(temporary);
  renameSync(temporary, folder);
  syncFolder(dirname(folder));
}

const permissionWarnings = (folder: string): readonly string[] =>
  [folder, ...keyFileNames.filter(name => name !== 'ca.crt').map(name => join(folder, name))]
    .map(permissionWarning)
    .filter(warning => warning !== undefined);

function expiryWarnings(notAfter: Date, now: Date): readonly string[] {
  if (notAfter.getTime() - now.getTime() > expiryWarningMs) return [];
  return [`the certificate authority ends on ${notAfter.toISOString()}; plan a new landscape CA before that day`];
}
