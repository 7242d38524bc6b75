import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { displayNameOf, type KubeObject, type ObjectState, objectStates, situationOf } from '@chandlery/api';
import fc from 'fast-check';
import type { UserInfo } from '../access/user.ts';
import type { Target } from '../resources/request.ts';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import type { BrowseQuery } from './browse.ts';
import { changedAtOf } from './entry.ts';
import type { Rank, SortKey } from './rank.ts';

const namespaces = ['ns-a', 'ns-b', 'ns-c'];
const boats = 'example.org/v1/boats';
const limited: UserInfo = { username: 'limited', groups: [] };
const rbac = 'rbac.authorization.k8s.io/v1';

const spec = fc.record({
  name: fc.option(fc.constantFrom('Grand Hotel', 'pier 7'), { nil: undefined }),
  size: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
});
const status = fc.constantFrom(
  {},
  ...['True', 'False'].map(ready => ({ conditions: [{ type: 'Ready', status: ready }] })),
);
const labels = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('web', 'Data', 'x'));
const body = fc.record({ labels, spec, status });

const write = fc.record({
  type: fc.constantFrom('put', 'put', 'put', 'delete'),
  namespace: fc.constantFrom(...namespaces),
  name: fc.oneof(
    fc.integer({ min: 0, max: 12 }).map(number => `boat-${number}`),
    fc.constantFrom('boat', 'boat-a', 'boat.2-b', 'boat-2-10', 'boat-2-9', 'a0b', 'a1', 'ab'),
  ),
  body,
});

const sort: fc.Arbitrary<SortKey> = fc.oneof(
  fc
    .constantFrom('key' as const, 'name', 'namespace', 'status', 'age', 'changed', 'urgency')
    .map((type): SortKey => ({ type })),
  fc.constant<SortKey>({ type: 'column', id: 'size' }),
);
const sizeOf = (object: KubeObject): Rank => (object as { spec?: { size?: number } }).spec?.size;

const query = fc.record({
  search: fc.constantFrom('', '', 'boat-1', 'NS-B', 'grand', 'app=data', 'nothing'),
  states: fc.uniqueArray(fc.constantFrom<ObjectState>(...objectStates), { maxLength: 2 }),
  sort,
  isDescending: fc.boolean(),
  isByName: fc.boolean(),
  offset: fc.integer({ min: 0, max: 30 }),
  limit: fc.integer({ min: 1, max: 20 }),
  labelSelector: fc.constantFrom('', '', 'app=web', 'app,tier!=x', '!app', 'app in (web, Data)'),
  fieldSelector: fc.constantFrom('', '', 'metadata.name=boat-3', 'metadata.namespace=ns-b', 'metadata.namespace!=ns-a'),
  namespace: fc.constantFrom('', '', ...namespaces),
  isLimited: fc.boolean(),
});

type Asked = typeof query extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.record({ writes: fc.array(write, { maxLength: 12 }), queries: fc.array(query, { maxLength: 4 }) });

/** The same from the objects themselves, without an index. */
function expectedOf(objects: readonly KubeObject[], asked: BrowseQuery) {
  const collator = new Intl.Collator('en', { numeric: true });
  const text = asked.search.toLowerCase();
  const linesOf = (object: KubeObject): readonly string[] => {
    const { name = '', namespace = '', labels: pairs = {} } = object.metadata;
    return [name, namespace, displayNameOf(object) ?? '', ...Object.entries(pairs).map(pair => pair.join('='))];
  };
  const found = objects.filter(object => linesOf(object).some(line => line.toLowerCase().includes(text)));
  const stateOf = (object: KubeObject): ObjectState => situationOf(object).state;
  const wanted = found.filter(object => asked.states.length === 0 || asked.states.includes(stateOf(object)));
  const changedOf = (object: KubeObject): number => Date.parse(changedAtOf(object));
  const rankOf = (object: KubeObject): Rank => {
    const position = objectStates.indexOf(stateOf(object));
    switch (asked.sort.type) {
      case 'key':
        return 0;
      case 'name':
        return object.metadata.name;
      case 'namespace':
        return object.metadata.namespace;
      case 'status':
        return position;
      case 'age':
        return -Date.parse(object.metadata.creationTimestamp ?? '');
      case 'changed':
        return -changedOf(object);
      case 'urgency':
        return position * 1e14 - changedOf(object);
      case 'column':
        return sizeOf(object);
    }
  };
  const fitOf = (object: KubeObject): number => {
    const names = [object.metadata.name ?? '', displayNameOf(object) ?? ''].map(name => name.toLowerCase());
    if (!asked.isByName || text === '' || names.includes(text)) return 0;
    return names.some(name => name.startsWith(text)) ? 1 : names.some(name => name.includes(text)) ? 2 : 3;
  };
  const compare = (one: KubeObject, other: KubeObject): number => {
    if (fitOf(one) !== fitOf(other)) return fitOf(one) - fitOf(other);
    const [first, second] = [rankOf(one), rankOf(other)];
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
    const sign = asked.isDescending ? -1 : 1;
    return sign * (typeof first === 'number' ? first - Number(second) : collator.compare(first, String(second)));
  };
  const entries = wanted.toSorted(compare).slice(asked.offset, asked.offset + asked.limit);
  const states = Object.groupBy(found, stateOf);
  return {
    page: entries.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    total: wanted.length,
    states: Object.fromEntries(Object.entries(states).map(([state, { length }]) => [state, length])),
  };
}

describe('A browsed collection', () => {
  let test: TestKernel;
  before(async () => {
    test = await startTestKernel();
    for (const name of namespaces) await test.create('namespaces', { metadata: { name } });
    const crd = testCrd('boats');
    const annotations = { 'core.chandlery.io/partial-lists': 'true' };
    await test.create(crds, { ...crd, metadata: { ...crd.metadata, annotations } });
    const rules = [{ apiGroups: ['example.org'], resources: ['boats'], verbs: ['list', 'watch'] }];
    await test.create(`${rbac}/clusterroles`, { metadata: { name: 'boats' }, rules });
    for (const namespace of ['ns-a', 'ns-c']) await allow(namespace);
    await test.settled();
  });
  after(() => test[Symbol.asyncDispose]());

  const allow = (namespace: string) =>
    test.create(
      `${rbac}/rolebindings`,
      {
        metadata: { name: 'limited' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'boats' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: limited.username }],
      },
      { namespace },
    );

  const put = async (namespace: string, name: string, wanted: { labels: object; spec: object; status: object }) => {
    const present = await test.find(boats, name, { namespace });
    const plain = JSON.parse(JSON.stringify({ labels: wanted.labels, spec: wanted.spec })) as typeof wanted;
    if (present === undefined) {
      await test.create(boats, { metadata: { name, labels: plain.labels }, spec: plain.spec }, { namespace });
    } else {
      const change = (live: KubeObject): object => ({
        ...live,
        metadata: { ...live.metadata, labels: plain.labels },
        spec: plain.spec,
      });
      await test.change(boats, name, live => change(live) as KubeObject, { namespace });
    }
    const { status: next } = wanted;
    await test.change(boats, name, live => ({ ...live, status: next }), { namespace, endpoint: 'status' });
  };

  const targetOf = async (namespace: string, isLimited: boolean): Promise<Target | undefined> => {
    const target = { ...(await test.target(boats)), namespace };
    if (!isLimited) return target;
    const access = await test.kernel.access.of('onboarding');
    const attributes = { verb: 'list', group: 'example.org', resource: 'boats', namespace };
    const requester = { user: limited, access, cluster: 'onboarding' };
    try {
      const visibility = await test.kernel.authorize(requester, attributes);
      return visibility === undefined ? target : { ...target, visibility };
    } catch {
      return undefined;
    }
  };

  const check = async ({ namespace, isLimited, ...asked }: Asked): Promise<void> => {
    const target = await targetOf(namespace, isLimited);
    if (target === undefined) return assert.equal(namespace, 'ns-b', 'only there the user sees nothing');
    const wanted = { ...asked, read: sizeOf };
    const calls = test.kernel.calls(limited);
    const found = await calls.browse(target, wanted);
    const { labelSelector, fieldSelector } = asked;
    const list = await calls.list(target, { labelSelector, fieldSelector });
    const expected = expectedOf(
      list.items.map(({ object }) => object),
      wanted,
    );
    assert.ok(found !== undefined);
    assert.deepEqual(
      {
        page: found.entries.map(entry => `${entry.namespace}/${entry.name}`),
        total: found.total,
        states: found.states,
      },
      expected,
    );
    const { items, rest = [] } = await calls.openEntries(target, found.entries);
    const objects = [...items, ...(await Array.fromAsync(rest)).flat()];
    assert.deepEqual(
      objects.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`),
      expected.page,
    );
  };

  it('has the pages and counts of its objects, whatever is written, and for who sees a part the counts of that', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
      for (const { writes, queries } of steps) {
        const isUnsettled = queries.map(each =>
          targetOf(each.namespace, false).then(target => browseNow(target, each)),
        );
        for (const { type, namespace, name, body: wanted } of writes) {
          if (type === 'put') await put(namespace, name, wanted);
          else await test.delete(boats, name, {}, { namespace }).catch(() => undefined);
          test.clock.advance(1000);
        }
        await Promise.all(isUnsettled);
        for (const each of queries) await check(each);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  /** While objects are written, so that orders are made meanwhile. */
  const browseNow = async (target: Target | undefined, asked: Asked): Promise<void> => {
    if (target === undefined) return;
    const { namespace: _namespace, isLimited: _isLimited, ...rest } = asked;
    await test.kernel.calls(limited).browse(target, { ...rest, read: sizeOf });
  };

  it('shows more to who may see more', async () => {
    await put('ns-b', 'hidden', { labels: {}, spec: {}, status: {} });
    const all = {
      search: 'hidden',
      states: [],
      sort: { type: 'key' },
      isDescending: false,
      offset: 0,
      limit: 5,
    } as const;
    const seen = async () => {
      const target = await targetOf('', true);
      assert.ok(target !== undefined);
      return (await test.kernel.calls(limited).browse(target, all))?.total;
    };
    assert.equal(await seen(), 0);
    await allow('ns-b');
    assert.equal(await seen(), 1);
  });
});
