import type { KubeObject } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue, encodeValue, spliceRevision } from '../codec/stored-value.ts';
import type { ResolvedResource } from '../registry/cluster-kinds.ts';
import type { StoredObject, StoredValue } from '../store/store.ts';
import { fromStoredForm, lossesOf } from './convert.ts';

/** An object as a request's version shows it, as bytes and parsed, whichever is asked for. */
export interface Served {
  /** 0 for an object that was never stored. */
  readonly revision: number;
  readonly bytes: Buffer;
  /** A fresh copy of the caller's own on first use; the same one afterwards. */
  readonly object: KubeObject;
  /** What the version could not show of the stored object, in sentences. Default: nothing. */
  readonly losses?: readonly string[];
}

/** Opens a stored object. A get is a copy of bytes unless version or schema have moved on since it was written. */
export function serveStored(
  resource: ResolvedResource,
  codec: SealedCodec,
  stored: Pick<StoredObject, 'key' | 'value' | 'revision'>,
): Served {
  const plain = codec.open(stored.key, stored.value);
  if (isCurrent(resource, stored)) return new ServedBytes(plain, stored.revision);
  const object = decodeValue(plain, stored.revision);
  const losses = lossesOf(resource, object);
  return new ServedParsed(fromStoredForm(resource, object), stored.revision, losses);
}

export const serveObject = (object: KubeObject, revision: number): Served => new ServedParsed(object, revision);

/** What would have been stored, had it not been a dry run; it has no resourceVersion. */
export const serveUnsaved = (object: KubeObject): Served => ({
  revision: 0,
  object,
  bytes: Buffer.from(JSON.stringify(object)),
});

/** True when the stored bytes are just what the version serves. */
export const isCurrent = (
  { kind, version, sinceRevision }: ResolvedResource,
  { revision }: { revision: number },
): boolean => version === kind.stored.storageVersion && revision >= sinceRevision;

class ServedBytes implements Served {
  readonly revision: number;
  readonly #value: StoredValue;
  #bytes: Buffer | undefined;
  #object: KubeObject | undefined;

  constructor(value: StoredValue, revision: number) {
    this.#value = value;
    this.revision = revision;
  }

  get bytes(): Buffer {
    this.#bytes ??= spliceRevision(this.#value, this.revision);
    return this.#bytes;
  }

  get object(): KubeObject {
    this.#object ??= decodeValue(this.#value, this.revision);
    return this.#object;
  }
}

class ServedParsed implements Served {
  readonly revision: number;
  readonly object: KubeObject;
  readonly losses: readonly string[];

  constructor(object: KubeObject, revision: number, losses: readonly string[] = []) {
    object.metadata.resourceVersion = String(revision);
    this.object = object;
    this.revision = revision;
    this.losses = losses;
  }

  get bytes(): Buffer {
    return spliceRevision(encodeValue(this.object), this.revision);
  }
}
