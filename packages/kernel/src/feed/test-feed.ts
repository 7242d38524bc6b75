import { SealedCodec } from '../codec/sealed-codec.ts';
import { encodeValue } from '../codec/stored-value.ts';
import type { Put, Store } from '../store/store.ts';
import { openTestStore, testCipher } from '../test-kernel.ts';
import { ChangeFeed } from './change-feed.ts';
import type { FeedEvent } from './feed-event.ts';

/** A write of an object, whatever was there before. */
export const put = (name: string, more: { cluster?: string; resource?: string; namespace?: string } = {}): Put => ({
  type: 'put',
  key: { cluster: 'c', resource: '/configmaps', namespace: 'n', name, ...more },
  expect: { type: 'any' },
  value: encodeValue({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
  terms: [],
});

/** The same of an object that must be new: so much the store knows of it without looking. */
export const create = (name: string): Put => ({ ...put(name), expect: { type: 'absent' } });

/** A feed on a store of its own. */
export async function startFeed(wrap: (store: Store) => Store = store => store) {
  await using stack = new AsyncDisposableStack();
  const { store } = stack.use(await openTestStore());
  const failures: unknown[] = [];
  const codec = new SealedCodec(testCipher, ['/secrets']);
  const options = { store: wrap(store), codec, onFailure: (error: unknown) => void failures.push(error) };
  const feed = stack.use(new ChangeFeed(options));
  await feed.start();
  const write = async (...puts: Put[]): Promise<number> => (await store.commit({ writes: puts })).revisions.at(-1) ?? 0;
  const kept = stack.move();
  return { store, codec, feed, failures, write, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A store some of whose methods are replaced. */
export const withMethods = (store: Store, methods: Partial<Store>): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

export const revisionsOf = (events: readonly FeedEvent[]): number[] => events.map(({ revision }) => revision);
