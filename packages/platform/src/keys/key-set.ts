import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { type EncryptionKey, Keyring } from '../crypto/keyring.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  loadCertificateAuthority,
} from '../pki/certificate-authority.ts';

/** The files of a key set by name, with their text. Also the form in which keys travel in a backup. */
export type KeyFiles = Readonly<Record<KeyFileName, string>>;

/** The files in the keys folder. */
export const keyFileNames = ['ca.crt', 'ca.key', 'service-account.key', 'encryption.json'] as const;
/** One of {@link keyFileNames}. */
export type KeyFileName = (typeof keyFileNames)[number];

/** An entry of `encryption.json`. */
export interface StoredEncryptionKey {
  readonly id: string;
  /** Base64. */
  readonly key: string;
  readonly createdAt: string;
}

/** A key set, read and checked. */
export interface KeySet {
  readonly authority: CertificateAuthority;
  /** P-256; signs service-account tokens. */
  readonly serviceAccountKey: KeyObject;
  /** The first one is active. */
  readonly encryptionKeys: readonly StoredEncryptionKey[];
  /** Names the landscape, reveals nothing about its keys, and stays the same whatever is rotated. */
  readonly identity: string;
  /** What named the landscape before a key could be removed. Changes when the first encryption key is. */
  readonly fingerprint: string;
}

/** Makes a whole new set. */
export function createKeyFiles(now: Date): KeyFiles {
  const authority = createCertificateAuthority({ commonName: 'chandlery', now });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    'ca.crt': authority.certificatePem,
    'ca.key': authority.privateKeyPem,
    'service-account.key': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'encryption.json': formatEncryptionKeys([createEncryptionKey(now)]),
  };
}

/** Makes a new key for data at rest. */
export const createEncryptionKey = (now: Date): StoredEncryptionKey => ({
  id: randomBytes(8).toString('hex'),
  key: randomBytes(32).toString('base64'),
  createdAt: now.toISOString(),
});

/** The text of `encryption.json`. */
export const formatEncryptionKeys = (keys: readonly StoredEncryptionKey[]): string =>
  `${JSON.stringify(keys, null, 2)}\n`;

/** Reads a set. Rejects with `KeysCorrupted`, naming the file, when part of it is unusable. */
export function parseKeyFiles(files: KeyFiles): KeySet {
  const authority = checked('ca.crt and ca.key', () => loadCertificateAuthority(files['ca.crt'], files['ca.key']));
  const serviceAccountKey = checked('service-account.key', () => signingKey(files['service-account.key']));
  const encryptionKeys = checked('encryption.json', () => parseEncryptionKeys(files['encryption.json']));
  return {
    authority,
    serviceAccountKey,
    encryptionKeys,
    identity: identityOf(serviceAccountKey),
    fingerprint: fingerprintOf(authority, serviceAccountKey, encryptionKeys),
  };
}

/** Stored keys in the form that a keyring takes. */
export const usableKeys = (keys: readonly StoredEncryptionKey[]): readonly EncryptionKey[] =>
  keys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }));

function signingKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('it is not a P-256 key');
  return key;
}

function parseEncryptionKeys(text: string): readonly StoredEncryptionKey[] {
  const keys: unknown = JSON.parse(text);
  if (!Array.isArray(keys) || !keys.every(isStoredKey)) throw new Error('it is not a list of {id, key, createdAt}');
  if (new Set(keys.map(key => key.id)).size < keys.length) throw new Error('two keys have the same id');
  // The keyring knows what makes a key usable.
  new Keyring(usableKeys(keys));
  return keys;
}

function isStoredKey(entry: unknown): entry is StoredEncryptionKey {
  if (typeof entry !== 'object' || entry === null) return false;
  const { id, key, createdAt } = entry as Record<string, unknown>;
  return [id, key, createdAt].every(field => typeof field === 'string');
}

/** The key of service-account tokens is never replaced: all tokens would be void. */
const identityOf = (serviceAccountKey: KeyObject): string =>
  createHash('sha256')
    .update('chandlery landscape ')
    .update(createPublicKey(serviceAccountKey).export({ type: 'spki', format: 'der' }))
    .digest('hex');

function fingerprintOf(
  authority: CertificateAuthority,
  serviceAccountKey: KeyObject,
  encryptionKeys: readonly StoredEncryptionKey[],
): string {
  const hash = createHash('sha256');
  hash.update(authority.certificatePem.replace(/\s/g, ''));
  hash.update(createPublicKey(serviceAccountKey).export({ type: 'spki', format: 'der' }));
  // The oldest key is in the set from the start to the end; newer ones come by rotation, wherever they stand.
  hash.update(oldestOf(encryptionKeys)?.key ?? '');
  return hash.digest('hex');
}

/** Of keys of the same moment, the last one: rotation puts newer ones before it. */
const oldestOf = (keys: readonly StoredEncryptionKey[]): StoredEncryptionKey | undefined =>
  keys.reduce<StoredEncryptionKey | undefined>(
    (oldest, key) => (oldest === undefined || key.createdAt <= oldest.createdAt ? key : oldest),
    undefined,
  );

function checked<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? 'it is not JSON' : cause instanceof Error ? cause.message : String(cause);
    throw new ChandleryError('KeysCorrupted', `cannot read ${what} of the landscape's keys: ${why}`, {
      hint: 'Restore the keys folder from a backup. New keys could not read the data of this landscape.',
      cause,
    });
  }
}
