import type { KubeObject } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue, mentions, spliceRevision } from '../codec/stored-value.ts';
import type { Change, Store, StoredValue } from '../store/store.ts';

/** A change on its way to watchers. Whatever is derived from it is made once, for all of them. */
export class FeedEvent {
  readonly change: Change;
  readonly #codec: SealedCodec;
  readonly #store: Pick<Store, 'before'>;
  #plain: StoredValue | undefined;
  #bytes: Buffer | undefined;
  #object: KubeObject | undefined;
  #previous: Promise<KubeObject | undefined> | undefined;
  #renderings: Map<string, Buffer> | undefined;

  constructor(change: Change, codec: SealedCodec, store: Pick<Store, 'before'>) {
    this.change = change;
    this.#codec = codec;
    this.#store = store;
  }

  get revision(): number {
    return this.change.revision;
  }

  /** The object as stored (storage version), with this event's resourceVersion. Not to be changed. */
  get object(): KubeObject {
    this.#object ??= decodeValue(this.#value, this.change.revision);
    return this.#object;
  }

  /** The same as bytes. */
  get bytes(): Buffer {
    this.#bytes ??= spliceRevision(this.#value, this.change.revision);
    return this.#bytes;
  }

  /** Whether the object's JSON holds a text: far cheaper to know than what the object says. */
  mentions(text: string): boolean {
    return mentions(this.#value, text);
  }

  /** The object before the change, if history still knows it; carries this event's resourceVersion. */
  previous(): Promise<KubeObject | undefined> {
    this.#previous ??= this.#readPrevious();
    return this.#previous;
  }

  /** What `make` gives, remembered under `name` for the other watchers. */
  rendering(name: string, make: () => Buffer): Buffer {
    this.#renderings ??= new Map();
    let rendered = this.#renderings.get(name);
    if (rendered === undefined) {
      rendered = make();
      this.#renderings.set(name, rendered);
    }
    return rendered;
  }

  get #value(): StoredValue {
    this.#plain ??= this.#codec.open(this.change.key, this.change.value);
    return this.#plain;
  }

  async #readPrevious(): Promise<KubeObject | undefined> {
    if (this.change.previousRevision === undefined) return undefined;
    const stored = await this.#store.before(this.change);
    if (stored === undefined) return undefined;
    return decodeValue(this.#codec.open(stored.key, stored.value), this.change.revision);
  }
}
