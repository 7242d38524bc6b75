import type { KubeObject } from '@chandlery/api';
import { formatKey, type ObjectKey, type StoredValue } from '../store/store.ts';
import { encodeValue } from './stored-value.ts';

/** Encrypts and decrypts; `context` binds a ciphertext to its place. */
export interface Cipher {
  encrypt(plaintext: Uint8Array, context: string): Uint8Array;
  decrypt(ciphertext: Uint8Array, context: string): Uint8Array;
  /** The key that encrypts. Default: there is only one. */
  readonly activeKeyId?: string;
  /** How many keys decrypt. Default 1. */
  readonly keyCount?: number;
  /** Whether another key than the active one has encrypted this. Default: none has. */
  needsRotation?(ciphertext: Uint8Array): boolean;
}

/** Turns objects into stored values and back, sealing those of secret kinds. */
export class SealedCodec {
  readonly #cipher: Cipher;
  readonly #secretResources: ReadonlySet<string>;

  constructor(cipher: Cipher, secretResources: Iterable<string>) {
    this.#cipher = cipher;
    this.#secretResources = new Set(secretResources);
  }

  /** The resources of secret kinds, sorted. */
  get secretResources(): readonly string[] {
    return [...this.#secretResources].sort();
  }

  /** The key that encrypts. */
  get activeKeyId(): string {
    return this.#cipher.activeKeyId ?? '';
  }

  /** How many keys decrypt. */
  get keyCount(): number {
    return this.#cipher.keyCount ?? 1;
  }

  /** Whether an object is encrypted, and with another key than the active one. */
  needsRotation({ key, value }: { readonly key: ObjectKey; readonly value: StoredValue }): boolean {
    return this.#secretResources.has(key.resource) && this.#cipher.needsRotation?.(value.bytes) === true;
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
