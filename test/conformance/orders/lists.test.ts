import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { basicService, setStage } from './support/stage.ts';

const lists = ['services2', 'services', 'artifacts', 'collections', 'queues', 'aspects', 'secrets/list'];

describe('lists', () => {
  const stage = setStage();
  const { expect } = stage;
  const list = async (path: string) => (await expect(200, 'GET', path)).body;
  const names = async (query: string) => (await list(`/1/services2?${query}`)).items.map(({ name }) => name);
  const filtered = (filter: string) => names(`limit=50&filter=${encodeURIComponent(filter)}`);

  before(async () => {
    for (let n = 1; n <= 25; n++) {
      const tags = n % 2 === 0 ? ['even'] : ['odd'];
      const body = basicService({
        name: `s${String(n).padStart(2, '0')}`,
        description: n === 7 ? 'draws maps' : 'd',
        tags,
      });
      await expect(201, 'POST', '/1/services2', { body });
    }
  });

  test('have the newest first, ten at a time, and links', async () => {
    const body = await list('/1/services2');
    assert.deepEqual(
      body.items.map(({ name }) => name),
      ['s25', 's24', 's23', 's22', 's21', 's20', 's19', 's18', 's17', 's16'],
    );
    assert.deepEqual(body.links.map(({ rel }) => rel).sort(), ['first', 'next', 'self']);
    assert.ok(Date.parse(String(body['at-time'])) > 0);
    const item = body.items[0];
    assert.equal(item?.['href'], `${stage.landscape.url}/1/services2/${item?.id}`);
  });

  for (const query of [
    'limit=7',
    'limit=7&order-by=name&order-desc=false',
    'limit=7&order-by=tags,name',
    'limit=7&order-desc=false',
  ])
    test(`are read page by page to their end: ${query}`, async () => {
      const found: string[] = [];
      let path: string | undefined = `/1/services2?${query}`;
      let pages = 0;
      while (path !== undefined) {
        const body: Awaited<ReturnType<typeof list>> = await list(path);
        found.push(...body.items.map(({ name }) => name));
        const next = body.links.find(({ rel }) => rel === 'next');
        path = next && next.href.slice(stage.landscape.url.length);
        pages++;
      }
      const all = await names(query.replace('limit=7', 'limit=50'));
      assert.equal(pages, 4);
      assert.deepEqual(found, all);
      assert.equal(new Set(found).size, 25);
    });

  test('go on from a position: what is created meanwhile is neither missing nor twice', async () => {
    const first = await list('/1/queues?limit=1');
    assert.deepEqual(first.items, []);
    for (const name of ['a', 'b', 'c']) await expect(201, 'POST', '/1/queues', { body: { name } });
    const page = await list('/1/queues?limit=2');
    await expect(201, 'POST', '/1/queues', { body: { name: 'd' } });
    const next = page.links.find(({ rel }) => rel === 'next')?.href.slice(stage.landscape.url.length) ?? '';
    const rest = await list(`${next}&filter=nonsense&order-by=nonsense`);
    assert.deepEqual(
      [...page.items, ...rest.items].map(({ name }) => name),
      ['c', 'b', 'a'],
      'other parameters are ignored',
    );
    assert.ok(!rest.links.some(({ rel }) => rel === 'next'));
  });

  test('are filtered', async () => {
    assert.deepEqual(await filtered("name ~= 's0%' && tags == 'even'"), ['s08', 's06', 's04', 's02']);
    assert.deepEqual(await filtered("(name == 's01' || name == 's02') && !(tags == 'odd')"), ['s02']);
    assert.deepEqual(await filtered("controller-schema ~= '%basic%' && name >= 's24'"), ['s25', 's24']);
    assert.deepEqual(await filtered("name == 'nobody'"), []);
    const wrong = await expect(400, 'GET', `/1/services2?filter=${encodeURIComponent("colour == 'red'")}`);
    assert.equal(wrong.body.code, 'invalid-filter');
    assert.match(wrong.body.message, /colour/);
  });

  test('of services are searched, the best first', async () => {
    const body = await list('/1/services2?search=maps');
    assert.deepEqual(
      body.items.map(({ name }) => name),
      ['s07'],
    );
    assert.ok(Number(body.items[0]?.['score']) > 0);
    assert.deepEqual(await names('search=maps%20nothing'), []);
  });

  for (const name of lists)
    test(`${name}: reject what is wrong`, async () => {
      for (const limit of ['0', '51', '-1', 'ten', '1.5']) await expect(400, 'GET', `/1/${name}?limit=${limit}`);
      for (const query of [
        'filter=(',
        'order-by=nonsense',
        'order-desc=maybe',
        'at-time=yesterday',
        'page=gdsgQwhdgd',
      ]) {
        const { body } = await expect(400, 'GET', `/1/${name}?${query}`);
        assert.ok(body.message.length > 0, query);
      }
      const { body } = await expect(200, 'GET', `/1/${name}?limit=50`);
      assert.ok(Array.isArray(body.items) && Array.isArray(body.links) && body['at-time'] !== undefined);
    });

  test('have only the records of the tenant, and all for the administrator', async () => {
    const other = { token: stage.token('other/robot') };
    await expect(201, 'POST', '/1/services2', { ...other, body: basicService({ name: 'theirs' }) });
    assert.deepEqual(
      (await expect(200, 'GET', '/1/services2', other)).body.items.map(({ name }) => name),
      ['theirs'],
    );
    assert.ok(!(await names('limit=50')).includes('theirs'));
    const admin = { token: stage.landscape.token };
    const all = await expect(200, 'GET', '/1/services2?limit=50', admin);
    assert.equal(all.body.items.length, 26);
    const one = await expect(200, 'GET', '/1/services2?limit=50', {
      ...admin,
      headers: { 'x-chandlery-namespace': 'other' },
    });
    assert.equal(one.body.items.length, 1);
  });
});
