import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { CompiledKind } from '../registry/compiled-kind.ts';
import { ValidatorCache } from '../schema/index.ts';
import type { ListQuery, Page } from '../store/store.ts';
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
