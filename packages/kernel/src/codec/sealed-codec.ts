import type { KubeObject } from '@chandlery/api';
import { formatKey, type ObjectKey, type StoredValue } from '../store/store.ts';
import { encodeValue } from './stored-value.ts';

/** Encrypts and decrypts; `context` binds a ciphertext to its place. */
export interface Cipher {
  encrypt(plaintext: Uint8Array, context: string): Uint8Array;
  decrypt(ciphertext: Uint8Array, context: string): Uint8Array;
}

/** Turns objects into stored values and back, sealing those of secret kinds. */
export class SealedCodec {
  readonly #cipher: Cipher;
  readonly #secretResources: ReadonlySet<string>;

  constructor(cipher: Cipher, secretResources: Iterable<string>) {
    this.#cipher = cipher;
    this.#secretResources = new Set(secretResources);
  }

  encode(key: ObjectKey, object: KubeObject): StoredValue {
    const value = encodeValue(object);
    if (!this.#secretResources.has(key.resource)) return value;
    return { bytes: this.#cipher.encrypt(value.bytes, formatKey(key)), splice: value.splice };
  }

  /** The plain value of what the store holds; the same one for kinds that are not secret. */
  open(key: ObjectKey, value: StoredValue): StoredValue {
    if (!this.#secretResources.has(key.resource)) return value;
    return { bytes: this.#cipher.decrypt(value.bytes, formatKey(key)), splice: value.splice };
  }
}
