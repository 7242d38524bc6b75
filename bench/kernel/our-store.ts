import { mkdir } from 'node:fs/promises';
import { ChangeFeed, type ObjectKey, openStore, SealedCodec, type Store } from '@chandlery/kernel';
import { startPostgres } from '@chandlery/testing';
import type { StoreSubject } from './store-subject.ts';

const keyOf = (name: string): ObjectKey => ({
  cluster: 'bench',
  resource: '/configmaps',
  namespace: 'default',
  name,
});

/** As many as an object with two labels has. */
const terms = [1234567, 7654321];

/** Our embedded store, as the server uses it. */
export async function openSqliteSubject(folder: string): Promise<StoreSubject> {
  await mkdir(folder, { recursive: true });
  const store = await openStore({ type: 'sqlite', folder });
  return subjectOf('sqlite', store, () => store[Symbol.asyncDispose]());
}

/** Our store on PostgreSQL, in a server of its own. */
export async function openPostgresSubject(): Promise<StoreSubject> {
  const postgres = await startPostgres();
  try {
    const store = await openStore({ type: 'postgres', url: postgres.url });
    return subjectOf('postgres', store, async () => {
      await store[Symbol.asyncDispose]();
      await postgres.stop();
    });
  } catch (failure) {
    await postgres.stop();
    throw failure;
  }
}

function subjectOf(name: 'sqlite' | 'postgres', store: Store, close: () => PromiseLike<void>): StoreSubject {
  return {
    name,
    put: async (text, bytes) => {
      const put = {
        type: 'put',
        key: keyOf(text),
        expect: { type: 'any' },
        value: { bytes, splice: 0 },
        terms,
      } as const;
      await store.commit({ writes: [put] });
    },
    get: async text => void (await store.get(keyOf(text))),
    watch: (count, onDelivered) => watch(store, count, onDelivered),
    [Symbol.asyncDispose]: close,
  };
}

async function watch(store: Store, count: number, onDelivered: () => void): Promise<() => Promise<void>> {
  const plain = (bytes: Uint8Array): Uint8Array => bytes;
  const feed = new ChangeFeed({
    store,
    codec: new SealedCodec({ encrypt: plain, decrypt: plain }, []),
    onFailure: error => console.error(error),
  });
  await feed.start();
  for (let index = 0; index < count; index++) {
    feed.listen({ cluster: 'bench', resource: '/configmaps', namespace: 'default' }, events =>
      events.forEach(onDelivered),
    );
  }
  return () => feed[Symbol.asyncDispose]();
}
