import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
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
    const indexes = new CollectionIndexes({ store: { list }, codec: kernel.codec, feed: kernel.feed });
    const { kind } = (await test.target('configmaps')).resource;
    const collection = { cluster: 'onboarding', resource: '/configmaps' };
    assert.equal(await indexes.within(collection, kind, 1), undefined);
    gate.resolve();
    assert.equal((await indexes.within(collection, kind, Number.POSITIVE_INFINITY))?.size, 20);
    indexes.clear();
  });
});
