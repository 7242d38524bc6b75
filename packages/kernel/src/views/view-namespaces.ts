import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { LoadingCache } from '../registry/loading-cache.ts';
import type { Store } from '../store/store.ts';
import { labelTerm } from '../store/terms.ts';
import type { ViewSpec } from './view-spec.ts';

const resource = '/namespaces';

/** Which namespaces carry a label, by logical cluster, key and value. A change of a namespace is felt by its labels alone. */
export class ViewNamespaces {
  readonly #store: Pick<Store, 'list'>;
  readonly #codec: SealedCodec;
  readonly #sets: LoadingCache<ReadonlySet<string>>;

  constructor(options: { store: Pick<Store, 'list'>; codec: SealedCodec; feed: ChangeFeed }) {
    this.#store = options.store;
    this.#codec = options.codec;
    this.#sets = new LoadingCache(text => this.#load(text), { limit: 20_000 });
    options.feed.listen({ resource }, events => {
      for (const event of events) this.#invalidate(event);
    });
    options.feed.onGap(() => this.#sets.clear());
  }

  of({ base, label: { key, value } }: Pick<ViewSpec, 'base' | 'label'>): Promise<ReadonlySet<string>> {
    return this.#sets.get(textOf(base, key, value));
  }

  #invalidate(event: FeedEvent): void {
    const { cluster } = event.change.key;
    const invalidate = (labels: Readonly<Record<string, string>> = {}): void => {
      for (const [key, value] of Object.entries(labels)) this.#sets.invalidate(textOf(cluster, key, value));
    };
    invalidate(event.object.metadata.labels);
    if (event.change.type === 'updated') void event.previous().then(before => invalidate(before?.metadata.labels));
  }

  async #load(text: string): Promise<ReadonlySet<string>> {
    const [cluster = '', key = '', value = ''] = JSON.parse(text) as string[];
    const terms = [[labelTerm(cluster, resource, key, value)]];
    const { items } = await this.#store.list({ cluster, resource, terms });
    const objects = items.map(item => decodeValue(this.#codec.open(item.key, item.value), item.revision));
    const members = objects.filter(({ metadata }) => metadata.labels?.[key] === value);
    return new Set(members.map(({ metadata }) => metadata.name ?? ''));
  }
}

const textOf = (cluster: string, key: string, value: string): string => JSON.stringify([cluster, key, value]);
