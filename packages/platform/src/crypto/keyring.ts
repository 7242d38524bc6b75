import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { ChandleryError } from '@chandlery/api';

/** A key for data at rest. */
export interface EncryptionKey {
  /** Sixteen hexadecimal digits; stands in front of every ciphertext. */
  readonly id: string;
  /** 256 bits. */
  readonly key: Uint8Array;
}

const algorithm: CipherGCMTypes = 'aes-256-gcm';
/** No JSON or UTF-8 text starts with this byte, so that a ciphertext is recognised without asking. */
const magic = 0xff;
const version = 1;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 2 + keyIdBytes;
const prefixBytes = headerBytes + nonceBytes;
const noncesPerRefill = 256;

/**
 * Encrypts what is stored, with AES-256-GCM.
 *
 * Layout: magic, version, key id (8), nonce (12), ciphertext, tag (16). Header and `context` are authenticated: a
 * ciphertext that was moved to another object, or whose key id was changed, does not decrypt. Nonces are random, so a
 * key should be rotated well before 2^32 encryptions.
 */
export class Keyring {
  readonly #keys = new Map<string, KeyObject>();
  readonly #nonces = Buffer.alloc(nonceBytes * noncesPerRefill);
  #nextNonce = noncesPerRefill;
  #activeHeader = Buffer.alloc(0);
  #activeKeyId = '';

  /** The first key encrypts; all of them decrypt. */
  constructor(keys: readonly EncryptionKey[]) {
    this.replace(keys);
  }

  /** The id of the key that encrypts. */
  get activeKeyId(): string {
    return this.#activeKeyId;
  }

  /** How many keys decrypt. */
  get keyCount(): number {
    return this.#keys.size;
  }

  /** Replaces the set of keys for all users of this keyring. */
  replace(keys: readonly EncryptionKey[]): void {
    const [active] = keys;
    if (active === undefined) throw invalidKey('there is none');
    const checked = keys.map(({ id, key }) => [checkedId(id), secretKey(id, key)] as const);
    this.#keys.clear();
    for (const [id, key] of checked) this.#keys.set(id, key);
    this.#activeKeyId = active.id;
    this.#activeHeader = Buffer.concat([Buffer.from([magic, version]), Buffer.from(active.id, 'hex')]);
  }

  /** Encrypts for one place; `context` names it (the object's key, for example) and is needed again to decrypt. */
  encrypt(plaintext: Uint8Array, context: string): Uint8Array {
    const nonce = this.#takeNonce();
    const cipher = createCipheriv(algorithm, this.#key(this.#activeKeyId), nonce, { authTagLength: tagBytes });
    cipher.setAAD(authenticated(this.#activeHeader, context));
    const body = cipher.update(plaintext);
    cipher.final();
    return Buffer.concat([this.#activeHeader, nonce, body, cipher.getAuthTag()]);
  }

  /** Rejects with `UnknownKey` or `DecryptionFailed`. */
  decrypt(ciphertext: Uint8Array, context: string): Uint8Array {
    const bytes = asBuffer(ciphertext);
    if (!isEncrypted(bytes)) throw decryptionFailed('it is not a ciphertext of this format');
    const header = bytes.subarray(0, headerBytes);
    const key = this.#key(keyIdOf(bytes));
    const nonce = bytes.subarray(headerBytes, prefixBytes);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(authenticated(header, context));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plaintext = decipher.update(bytes.subarray(prefixBytes, -tagBytes));
    try {
      decipher.final();
    } catch (cause) {
      throw decryptionFailed('it was changed, or belongs to another object', cause);
    }
    return plaintext;
  }

  /** True when another key than the active one encrypted this; writing it again cures that. */
  needsRotation(ciphertext: Uint8Array): boolean {
    const bytes = asBuffer(ciphertext);
    return !isEncrypted(bytes) || keyIdOf(bytes) !== this.#activeKeyId;
  }

  #key(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    throw new ChandleryError(
      'UnknownKey',
      `data is encrypted with key ${id}, which is not among the landscape's keys`,
      {
        hint: 'Restore the keys folder from a backup that was made after this key was created.',
      },
    );
  }

  /** Drawn in bulk: asking the system for twelve bytes costs as much as encrypting a kilobyte. */
  #takeNonce(): Buffer {
    if (this.#nextNonce === noncesPerRefill) {
      randomFillSync(this.#nonces);
      this.#nextNonce = 0;
    }
    const start = this.#nextNonce++ * nonceBytes;
    return this.#nonces.subarray(start, start + nonceBytes);
  }
}

/** True when the bytes are a ciphertext of a {@link Keyring}, whichever key made it. */
export const isEncrypted = (bytes: Uint8Array): boolean =>
  bytes.length >= prefixBytes + tagBytes && bytes[0] === magic && bytes[1] === version;

/** The id of the key that made a ciphertext. */
export const keyIdOfCiphertext = (ciphertext: Uint8Array): string | undefined =>
  isEncrypted(ciphertext) ? keyIdOf(asBuffer(ciphertext)) : undefined;

const authenticated = (header: Uint8Array, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(context, 'utf8')]);
const keyIdOf = (bytes: Buffer): string => bytes.toString('hex', 2, headerBytes);
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function checkedId(id: string): string {
  if (!/^[0-9a-f]{16}$/.test(id))
    throw invalidKey(`its id ${JSON.stringify(id)} does not have sixteen hexadecimal digits`);
  return id;
}

function secretKey(id: string, key: Uint8Array): KeyObject {
  if (key.length !== 32) throw invalidKey(`key ${id} has ${key.length * 8} bits instead of 256`);
  return createSecretKey(key);
}

const invalidKey = (why: string): ChandleryError =>
  new ChandleryError('InvalidKey', `cannot use the encryption key: ${why}`);
const decryptionFailed = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('DecryptionFailed', `cannot decrypt: ${why}`, {
    hint: 'The stored bytes are damaged; restore this object from a backup or write it again.',
    cause,
  });
