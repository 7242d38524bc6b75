import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { encodeValue, orderedMetadata } from '../codec/stored-value.ts';
import { CompiledKind } from '../registry/compiled-kind.ts';
import { ValidatorCache } from '../schema/index.ts';
import type { ListQuery, Page, StoredObject } from '../store/store.ts';
import { startTestKernel, type TestKernel } from '../test-kernel.ts';
import type { BrowseQuery } from './browse.ts';
import { CollectionIndexes } from './collection-indexes.ts';

const everything: BrowseQuery = {
  search: '',
  states: [],
  sort: { type: 'name' },
  isDescending: false,
  offset: 0,
  limit: 100,
};

/** Collections of ten objects each unless said otherwise, and the index of any of them. */
async function openCollections({ maxBytes = 30 * 280, idleMs = 60_000 } = {}) {
  const test = await startTestKernel();
  const sizes = new Map<string, number>();
  const reads: string[] = [];
  let gate = Promise.resolve();
  const list = async ({ cluster = '', resource }: ListQuery): Promise<Page> => {
    reads.push(`${cluster} ${resource}`);
    await gate;
    const items = Array.from({ length: sizes.get(`${cluster} ${resource}`) ?? 10 }, (_, number): StoredObject => {
      const metadata = orderedMetadata({ name: `n${number}`, namespace: 'default' });
      const value = encodeValue({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      return {
        key: { cluster, resource, namespace: 'default', name: `n${number}` },
        revision: 1,
        createdRevision: 1,
        value,
      };
    });
    return { items, revision: 1, more: false };
  };
  const feed = { follow: async () => () => {}, onGap: () => () => {} };
  const { codec } = test.kernel;
  // Known already, so that collections are opened in the order in which they are asked for.
  const kinds = await test.kernel.registry.of('onboarding');
  const registry = { of: async () => kinds };
  const indexes = new CollectionIndexes({ store: { list }, codec, feed, registry }, { maxBytes, idleMs });
  return {
    indexes,
    reads,
    sizes,
    index: (cluster: string, resource: string) => indexes.within({ cluster, resource }, Number.POSITIVE_INFINITY),
    close: (until: Promise<void>) => {
      gate = until;
    },
    [Symbol.asyncDispose]: async () => {
      indexes.clear();
      await test[Symbol.asyncDispose]();
    },
  };
}

describe('The indexes of several tenants', () => {
  it('take their room from the one that has most', async () => {
    await using world = await openCollections();
    const [of, sizes] = [world.index, world.sizes];
    sizes.set('small /a', 5);
    await of('small', '/a');
    for (const resource of ['/a', '/b', '/c', '/d']) await of('large', resource);
    assert.equal(world.indexes.stats.entries, 25, 'two of the large one stay, and that of the small one');
    world.reads.length = 0;
    assert.equal((await of('small', '/a'))?.size, 5);
    assert.deepEqual(world.reads, []);
  });

  it('are not too large because another tenant reads its own at the same time', async () => {
    await using world = await openCollections();
    world.sizes.set('large /a', 29);
    const opened = Promise.withResolvers<void>();
    world.close(opened.promise);
    const both = Promise.all([world.index('large', '/a'), world.index('small', '/a')]);
    opened.resolve();
    assert.equal((await both)[1]?.size, 10);
  });

  it('wait for one that began earlier, and are then given its room, where two do not fit together', async () => {
    await using world = await openCollections();
    for (const cluster of ['one', 'two']) world.sizes.set(`${cluster} /a`, 20);
    const both = await Promise.all([world.index('one', '/a'), world.index('two', '/a')]);
    assert.deepEqual(
      both.map(index => index?.size),
      [20, 20],
    );
    assert.equal(world.indexes.stats.entries, 20);
  });

  it('are read one at a time of each tenant, so that no one waits for all collections of another', async () => {
    await using world = await openCollections();
    const opened = Promise.withResolvers<void>();
    world.close(opened.promise);
    const all = [
      ...['/a', '/b', '/c'].map(resource => world.index('one', resource)),
      world.index('two', '/a'),
      world.index('three', '/a'),
    ];
    await eventually(() => world.reads.length === 2, { what: 'two reads' });
    assert.deepEqual(world.reads, ['one /a', 'two /a']);
    opened.resolve();
    await Promise.all(all);
    assert.ok(world.reads.indexOf('three /a') < world.reads.indexOf('one /c'), world.reads.join());
  });

  it('are read in turns, so that no one waits for all collections of two others', async () => {
    await using world = await openCollections();
    const opened = Promise.withResolvers<void>();
    world.close(opened.promise);
    const many = ['/a', '/b', '/c', '/d', '/e'];
    const all = ['one', 'two'].flatMap(cluster => many.map(resource => world.index(cluster, resource)));
    all.push(world.index('three', '/a'));
    await eventually(() => world.reads.length === 2, { what: 'two reads' });
    opened.resolve();
    await Promise.all(all);
    assert.ok(world.reads.indexOf('three /a') < 5, world.reads.join());
  });

  it('are tried again after a while when there was no room, however often they are asked for', async () => {
    await using world = await openCollections({ idleMs: 100 });
    world.sizes.set('one /a', 40);
    assert.equal(await world.index('one', '/a'), undefined);
    world.sizes.set('one /a', 20);
    const polling = setInterval(() => void world.index('one', '/a'), 5);
    await eventually(async () => (await world.index('one', '/a'))?.size === 20, { what: 'the index' });
    clearInterval(polling);
  });

  it('give way to others when a collection grows', async () => {
    await using test = await startTestKernel({ indexes: { maxBytes: 3 * 1024 * 1024 } });
    const names = (from: number) => Array.from({ length: 6 }, (_, at) => `n${from + at}`);
    const labels = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`label-${at}`, 'x'.repeat(60)]));
    const fill = (resource: string, from: number) =>
      Promise.all(names(from).map(name => test.create(resource, { metadata: { name, labels } })));
    const calls = test.kernel.calls({ username: 'u', groups: [] });
    const browse = async (resource: string) => calls.browse(await test.target(resource), everything);
    await fill('secrets', 0);
    await browse('secrets');
    await browse('configmaps');
    assert.equal(test.kernel.indexes.stats.indexes, 2);
    for (let from = 0; from < 60; from += 6) await fill('configmaps', from);
    await eventually(() => test.kernel.indexes.stats.entries === 0, { what: 'room' });
    assert.equal((await browse('configmaps'))?.total, 60);
  });
});

describe('The indexes of browsed collections', () => {
  let test: TestKernel;
  before(async () => {
    test = await startTestKernel({ indexes: { maxBytes: 30 * 280, idleMs: 400 } });
    for (let number = 0; number < 20; number++)
      for (const resource of ['configmaps', 'secrets'])
        await test.create(resource, { metadata: { name: `n${number}` } });
    for (let number = 0; number < 40; number++)
      await test.create('serviceaccounts', { metadata: { name: `n${number}` } });
  });
  after(() => test[Symbol.asyncDispose]());

  const browse = async (resource: string, query: Partial<BrowseQuery> = {}) =>
    test.kernel.calls({ username: 'u', groups: [] }).browse(await test.target(resource), { ...everything, ...query });

  it('give way to those that are used, and to none when nobody browses', async () => {
    assert.equal((await browse('configmaps'))?.total, 20);
    assert.deepEqual(test.kernel.indexes.stats, { indexes: 1, entries: 20 });
    assert.equal((await browse('secrets'))?.total, 20);
    assert.deepEqual(test.kernel.indexes.stats, { indexes: 1, entries: 20 }, 'there is room for one of them');
    await eventually(() => test.kernel.indexes.stats.indexes === 0, { what: 'the index to be dropped' });
    assert.equal((await browse('secrets'))?.total, 20);
  });

  it('are not made of what is too large: requests examine the store, within bounds', async () => {
    const found = await browse('serviceaccounts', { search: 'n3' });
    assert.equal(found?.total, 11);
    assert.equal(found?.isIncomplete, false);
    assert.ok(test.kernel.indexes.stats.entries <= 30);
  });

  it('follow what is written', async () => {
    assert.equal((await browse('configmaps', { search: 'later' }))?.total, 0);
    await test.create('configmaps', { metadata: { name: 'later' } });
    assert.equal((await browse('configmaps', { search: 'later' }))?.total, 1);
    await test.delete('configmaps', 'later');
    assert.equal((await browse('configmaps', { search: 'later' }))?.total, 0);
  });

  it('let a request go without them when they take too long, and are there for the next', async () => {
    const gate = Promise.withResolvers<void>();
    const { store, kernel } = test;
    const list = async (query: ListQuery): Promise<Page> => {
      await gate.promise;
      return store.list(query);
    };
    const { codec, feed, registry } = kernel;
    const indexes = new CollectionIndexes({ store: { list }, codec, feed, registry });
    const collection = { cluster: 'onboarding', resource: '/configmaps' };
    assert.equal(await indexes.within(collection, 1), undefined);
    gate.resolve();
    assert.equal((await indexes.within(collection, Number.POSITIVE_INFINITY))?.size, 20);
    indexes.clear();
  });

  it('of several collections that are read at a time are all made, one after the other where there is no room', async () => {
    const { codec, feed, registry } = test.kernel;
    // Pieces of a few objects, so that both are half read when the room ends.
    const list = (query: ListQuery): Promise<Page> => test.store.list({ ...query, limit: 3 });
    const indexes = new CollectionIndexes({ store: { list }, codec, feed, registry }, { maxBytes: 30 * 280 });
    const sizes = await Promise.all(
      ['/configmaps', '/secrets'].map(async resource => {
        const index = await indexes.within({ cluster: 'onboarding', resource }, Number.POSITIVE_INFINITY);
        return index?.size;
      }),
    );
    assert.deepEqual(sizes, [20, 20]);
    assert.equal(indexes.stats.entries, 20);
    indexes.clear();
  });

  it('are given up when their collections grow beyond the room', async () => {
    const namespace = await test.newNamespace();
    await test.create('secrets', { metadata: { name: 'first' } }, { namespace });
    const { store, kernel } = test;
    const { codec, feed, registry } = kernel;
    const collection = { cluster: 'onboarding', resource: '/secrets' };
    const indexes = new CollectionIndexes({ store, codec, feed, registry }, { maxBytes: 30 * 280, idleMs: 200 });
    assert.ok(await indexes.within(collection, Number.POSITIVE_INFINITY));
    for (let number = 0; number < 20; number++)
      await test.create('secrets', { metadata: { name: `more${number}` } }, { namespace });
    const isTooLarge = async (): Promise<boolean> => {
      await indexes.within(collection, Number.POSITIVE_INFINITY);
      return indexes.isTooLarge(collection);
    };
    await eventually(isTooLarge, { what: 'the index to be given up' });
    await test.delete('namespaces', namespace);
    await test.gone('namespaces', namespace);
    await eventually(async () => !(await isTooLarge()), { what: 'the smaller collection to have an index' });
    indexes.clear();
  });

  it('are those of the collection, also for the read-only kinds of views', async () => {
    const target = await test.target('namespaces');
    const { declaration } = target.resource.kind;
    const readOnly = new CompiledKind({ ...declaration, verbs: ['get', 'list', 'watch'] }, new ValidatorCache());
    const { kernel } = test;
    const { indexes } = kernel;
    const reader = kernel.calls({ username: 'u', groups: [] });
    await reader.browse(target, everything);
    const index = await indexes.within({ cluster: 'onboarding', resource: '/namespaces' }, 1000);
    await reader.browse({ ...target, resource: { ...target.resource, kind: readOnly } }, everything);
    assert.equal(await indexes.within({ cluster: 'onboarding', resource: '/namespaces' }, 1000), index);
  });
});
