import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatKey, type ListQuery, type Store } from '../store.ts';
import { hashTerm } from '../terms.ts';
import { type OpenStore, pathOf, pathsOf, put, rejectsWith, remove, textOf, write } from './helpers.ts';

const all = { cluster: 'main', resource: '/things' } as const;

/** Follows pages to the end. */
async function listPages(store: Store, query: ListQuery): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after = query.after; ; ) {
    const page = await store.list({ ...query, ...(after === undefined ? {} : { after }) });
    pages.push(page.items.map(item => `${item.key.cluster}:${pathOf(item)}`));
    if (!page.more) return pages;
    after = page.items.at(-1)?.key ?? after;
  }
}

/** Collections, selections and indexes. */
export function listContract(open: OpenStore): void {
  test('a list is in byte order of namespace, then name', async () => {
    await using opened = await open();
    const { store } = opened;
    const paths = [
      'b/a',
      'a/z',
      'a/B',
      'a/b',
      'a/a-b',
      'a/a',
      'a/a.b',
      'a-b/a',
      'ab/a',
      'a/é',
      'a/𝄞',
      'a/ﬀ',
      'top',
      'Top',
    ];
    await write(store, ...paths.map(path => put(path)));
    const page = await store.list(all);
    const sorted = [
      ...['Top', 'top', 'a/B', 'a/a', 'a/a-b', 'a/a.b', 'a/b', 'a/z', 'a/é', 'a/ﬀ', 'a/𝄞'],
      ...['a-b/a', 'ab/a', 'b/a'],
    ];
    assert.deepEqual(pathsOf(page), sorted);
    assert.deepEqual(page.items.map(textOf), sorted);
    assert.deepEqual([page.revision, page.more, page.remaining], [paths.length, false, undefined]);
    const pages = await listPages(store, { ...all, limit: 1 });
    assert.deepEqual(
      pages.flat(),
      sorted.map(path => `main:${path}`),
    );
  });

  test('a list shows one namespace, one cluster, or all clusters in order', async () => {
    await using opened = await open();
    const { store } = opened;
    for (const cluster of ['c', 'a', 'b']) {
      await write(store, ...['n/2', 'n/1', 'm/1'].map(path => put(path, { in: { cluster } })));
    }
    await write(store, put('n/3', { in: { resource: 'x/things' } }));
    assert.deepEqual(pathsOf(await store.list({ cluster: 'b', resource: '/things' })), ['m/1', 'n/1', 'n/2']);
    assert.deepEqual(pathsOf(await store.list({ cluster: 'b', resource: '/things', namespace: 'n' })), ['n/1', 'n/2']);
    assert.deepEqual(pathsOf(await store.list({ cluster: 'b', resource: '/nothing' })), []);
    assert.deepEqual(pathsOf(await store.list({ cluster: 'z', resource: '/things' })), []);
    const everywhere = ['a:m/1', 'a:n/1', 'a:n/2', 'b:m/1', 'b:n/1', 'b:n/2', 'c:m/1', 'c:n/1', 'c:n/2'];
    assert.deepEqual(await listPages(store, { resource: '/things' }), [everywhere]);
    for (const limit of [1, 2, 3, 4, 8, 9, 10]) {
      assert.deepEqual((await listPages(store, { resource: '/things', limit })).flat(), everywhere, `limit ${limit}`);
    }
    const inN = ['a:n/1', 'a:n/2', 'b:n/1', 'b:n/2', 'c:n/1', 'c:n/2'];
    assert.deepEqual((await listPages(store, { resource: '/things', namespace: 'n', limit: 2 })).flat(), inN);
  });

  test('a full page states whether there is more and how much remains', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, ...Array.from({ length: 10 }, (_, index) => put(`n/${index}`)));
    await write(store, put('o/x'), put('n/y', { in: { cluster: 'other' } }));
    const page = await store.list({ ...all, namespace: 'n', limit: 4 });
    assert.deepEqual([page.items.length, page.more, page.remaining], [4, true, 6]);
    const wide = await store.list({ resource: '/things', limit: 4 });
    assert.deepEqual([wide.items.length, wide.more, wide.remaining], [4, true, 8]);
    const exact = await store.list({ ...all, namespace: 'n', limit: 10 });
    assert.deepEqual([exact.items.length, exact.more, exact.remaining], [10, false, undefined]);
    const filtered = await store.list({ ...all, limit: 4, filter: () => true });
    assert.deepEqual([filtered.items.length, filtered.more, filtered.remaining], [4, true, undefined]);
  });

  test('what remains is counted as of the revision that the page shows', async () => {
    await using opened = await open();
    const { store } = opened;
    const at = await write(store, ...Array.from({ length: 10 }, (_, index) => put(`n/${index}`)));
    await write(store, remove('n/5'), put('n/6'), put('n/a'), put('n/b'));
    await write(store, remove('n/a'), remove('n/6'));
    await write(store, put('n/6'));
    const then = await store.list({ ...all, limit: 4, at });
    assert.deepEqual([then.more, then.remaining], [true, 6]);
    const now = await store.list({ ...all, limit: 4 });
    assert.deepEqual([now.more, now.remaining], [true, 6]);
    assert.equal((await store.list({ ...all, limit: 6, at })).remaining, 4);
    assert.equal((await store.list({ ...all, limit: 6 })).remaining, 4);
  });

  test('beyond ten thousand, remaining objects are not counted', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let batch = 0; batch < 11; batch++) {
      await write(store, ...Array.from({ length: 1000 }, (_, index) => put(`n/${batch}-${index}`)));
    }
    const page = await store.list({ ...all, limit: 1 });
    assert.deepEqual([page.items.length, page.more, page.remaining], [1, true, undefined]);
    assert.equal((await store.list({ ...all, limit: 1500 })).remaining, 9500);
    assert.equal((await store.list(all)).items.length, 11_000);
  });

  test('a filter decides before the limit counts', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, ...Array.from({ length: 1200 }, (_, index) => put(`n/${String(index).padStart(4, '0')}`)));
    const filter: ListQuery['filter'] = object => object.key.name.endsWith('00');
    const page = await store.list({ ...all, limit: 5, filter });
    assert.deepEqual(pathsOf(page), ['n/0000', 'n/0100', 'n/0200', 'n/0300', 'n/0400']);
    assert.equal(page.more, true);
    assert.equal((await listPages(store, { ...all, limit: 5, filter })).flat().length, 12);
    const last = await store.list({ ...all, filter: object => object.key.name === '1199' });
    assert.deepEqual([pathsOf(last), last.more], [['n/1199'], false]);
  });

  test('a filter that throws spoils only its own list', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a'), put('b'));
    const filter = (): boolean => {
      throw new Error('no');
    };
    for (let time = 0; time < 20; time++) await assert.rejects(store.list({ ...all, filter }));
    assert.deepEqual(pathsOf(await store.list(all)), ['a', 'b']);
  });

  test('terms select objects that carry one of every group', async () => {
    await using opened = await open();
    const { store } = opened;
    const [red, blue, small, huge] = ['red', 'blue', 'small', 'huge'].map(hashTerm) as [number, number, number, number];
    await write(
      store,
      put('n/d', { terms: [red, small] }),
      put('n/c', { terms: [blue, small] }),
      put('n/b', { terms: [red, huge, red] }),
      put('m/a', { terms: [red] }),
      put('m/e'),
    );
    const select = async (query: Partial<ListQuery>): Promise<string[]> =>
      pathsOf(await store.list({ ...all, ...query }));
    assert.deepEqual(await select({ terms: [[red]] }), ['m/a', 'n/b', 'n/d']);
    assert.deepEqual(await select({ terms: [[red, blue]] }), ['m/a', 'n/b', 'n/c', 'n/d']);
    assert.deepEqual(await select({ terms: [[red], [small, huge]] }), ['n/b', 'n/d']);
    assert.deepEqual(await select({ terms: [[red], [blue]] }), []);
    assert.deepEqual(await select({ terms: [[red], []] }), []);
    assert.deepEqual(await select({ terms: [[hashTerm('unknown')]] }), []);
    assert.deepEqual(await select({ terms: [[red]], namespace: 'n' }), ['n/b', 'n/d']);
    assert.deepEqual(await select({ terms: [[red]], cluster: 'other' }), []);
    assert.deepEqual((await listPages(store, { ...all, terms: [[red]], limit: 1 })).flat(), [
      'main:m/a',
      'main:n/b',
      'main:n/d',
    ]);
    const page = await store.list({ ...all, terms: [[red]], limit: 2 });
    assert.deepEqual([page.more, page.remaining], [true, undefined]);
  });

  test('terms follow updates and deletions, and past lists keep the terms of their time', async () => {
    await using opened = await open();
    const { store } = opened;
    const [old, now] = [hashTerm('old'), hashTerm('now')];
    const first = await write(
      store,
      put('a', { terms: [old] }),
      put('b', { terms: [old] }),
      put('c', { terms: [now] }),
    );
    const second = await write(store, put('a', { terms: [now] }), remove('b'));
    await write(store, put('b', { terms: [now, old] }), remove('c'));
    const select = async (term: number, at?: number): Promise<string[]> =>
      pathsOf(await store.list({ ...all, terms: [[term]], ...(at === undefined ? {} : { at }) }));
    assert.deepEqual(await select(old), ['b']);
    assert.deepEqual(await select(now), ['a', 'b']);
    assert.deepEqual(await select(old, first), ['a', 'b']);
    assert.deepEqual(await select(now, first), ['c']);
    assert.deepEqual(await select(old, second), []);
    assert.deepEqual(await select(now, second), ['a', 'c']);
  });

  test('a term that nearly everything carries selects as well as a rare one', async () => {
    await using opened = await open();
    const { store } = opened;
    const [common, rare] = [hashTerm('common'), hashTerm('rare')];
    for (let batch = 0; batch < 5; batch++) {
      const numbers = Array.from({ length: 1000 }, (_, index) => batch * 1000 + index);
      const termsOf = (number: number) => (number % 500 === 7 ? [common, rare] : number % 10 === 0 ? [] : [common]);
      await write(
        store,
        ...numbers.map(number => put(`n/${String(number).padStart(4, '0')}`, { terms: termsOf(number) })),
      );
    }
    const page = await store.list({ ...all, terms: [[common]], limit: 3 });
    assert.deepEqual(pathsOf(page), ['n/0001', 'n/0002', 'n/0003']);
    assert.equal((await listPages(store, { ...all, terms: [[common]], limit: 700 })).flat().length, 4500);
    assert.equal((await store.list({ ...all, terms: [[common], [rare]] })).items.length, 10);
    assert.deepEqual(pathsOf(await store.list({ ...all, terms: [[rare]], limit: 2 })), ['n/0007', 'n/0507']);
  });

  test('withTerm finds carriers in every collection', async () => {
    await using opened = await open();
    const { store } = opened;
    const term = hashTerm('owner');
    await write(
      store,
      put('a', { terms: [term] }),
      put('n/b', { terms: [term], in: { cluster: 'x', resource: 'g/y' } }),
      put('c'),
    );
    const found = await Array.fromAsync(store.withTerm(term, 10));
    assert.deepEqual(found.map(pathOf).sort(), ['a', 'n/b']);
    assert.deepEqual(found.map(textOf).sort(), ['a', 'n/b']);
    assert.deepEqual(found.find(({ key }) => key.name === 'b')?.key, {
      cluster: 'x',
      resource: 'g/y',
      namespace: 'n',
      name: 'b',
    });
    const keys = await store.keysWithTerm(term, 10);
    assert.deepEqual(new Set(keys.map(formatKey)), new Set(found.map(({ key }) => formatKey(key))));
    assert.equal((await store.keysWithTerm(term, 1)).length, 1);
    assert.equal((await Array.fromAsync(store.withTerm(term, 1))).length, 1);
    await write(store, remove('a'));
    assert.deepEqual((await Array.fromAsync(store.withTerm(term, 10))).map(pathOf), ['n/b']);
    assert.deepEqual(await Array.fromAsync(store.withTerm(hashTerm('nobody'), 10)), []);
    assert.deepEqual(await store.keysWithTerm(term, 10), [
      { cluster: 'x', resource: 'g/y', namespace: 'n', name: 'b' },
    ]);
  });

  test('withTerm reads large objects in pages, each once', async () => {
    await using opened = await open();
    const { store } = opened;
    const term = hashTerm('large');
    const text = 'x'.repeat(300_000);
    for (let number = 0; number < 12; number++) await write(store, put(`n/${number}`, { terms: [term], text }));
    const found = await Array.fromAsync(store.withTerm(term, 100));
    assert.deepEqual(new Set(found.map(pathOf)), new Set(Array.from({ length: 12 }, (_, number) => `n/${number}`)));
    assert.equal(found.length, 12);
    assert.equal((await Array.fromAsync(store.withTerm(term, 7))).length, 7);
    const iterator = store.withTerm(term, 100)[Symbol.asyncIterator]();
    const first = await iterator.next();
    assert.equal(first.done === true ? undefined : textOf(first.value), text);
    await iterator.return?.();
    await write(store, put('n/0'));
  });

  test('expired objects come oldest first, until they are written again or deleted', async () => {
    await using opened = await open();
    const { store } = opened;
    const now = Date.now();
    await write(store, put('late', { expiresAt: now - 1 }), put('later', { expiresAt: now + 1000 }), put('never'));
    await write(store, put('first', { expiresAt: now - 10 }), put('exact', { expiresAt: now }));
    assert.deepEqual((await store.expired(now, 10)).map(pathOf), ['first', 'late', 'exact']);
    assert.deepEqual((await store.expired(now, 1)).map(pathOf), ['first']);
    await write(store, put('late'), put('exact', { expiresAt: now + 5 }), remove('first'));
    assert.deepEqual(await store.expired(now, 10), []);
  });

  test('collections are those that hold objects', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { in: { cluster: 'y' } }), put('a', { in: { cluster: 'x', resource: 'b/c' } }));
    await write(store, put('a', { in: { cluster: 'x' } }), put('b', { in: { cluster: 'x' } }));
    const [xThings, xOthers, y] = [
      { cluster: 'x', resource: '/things' },
      { cluster: 'x', resource: 'b/c' },
      { cluster: 'y', resource: '/things' },
    ];
    assert.deepEqual(await store.collections(), [xThings, xOthers, y]);
    assert.deepEqual(await store.collections('y'), [y]);
    await write(store, remove('a', { type: 'present' }, { cluster: 'y' }));
    assert.deepEqual(await store.collections('y'), []);
    assert.deepEqual(await store.collections(), [xThings, xOthers]);
  });

  test('lists of unknown revisions are rejected', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a'));
    await rejectsWith(store.list({ ...all, at: 2 }), 'FutureRevision');
    assert.deepEqual(pathsOf(await store.list({ ...all, at: 0 })), []);
  });
}
