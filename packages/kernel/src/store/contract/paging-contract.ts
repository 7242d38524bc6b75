import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Commit, Store, StoredObject } from '../store.ts';
import { keyOf, type OpenStore, pathOf, put, remove, textOf } from './helpers.ts';

type Operation = { readonly name: string; readonly action: 'put' | 'remove'; readonly term: number };

const operation: fc.Arbitrary<Operation> = fc.record({
  name: fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1', 'c/2', 'd/1'),
  action: fc.constantFrom('put', 'put', 'remove'),
  term: fc.constantFrom(1, 2),
});

const history = fc.record({
  before: fc.array(operation, { maxLength: 20 }),
  after: fc.array(operation, { maxLength: 20 }),
  limit: fc.integer({ min: 1, max: 4 }),
});

/** The text and term of each object, as the store should know them. */
type Model = Map<string, string>;

/** Applies an operation to both, when it makes sense for the model. */
async function perform(
  store: Store,
  cluster: string,
  model: Model,
  { name, action, term }: Operation,
  text: string,
): Promise<void> {
  if (action === 'remove' && !model.has(name)) return;
  const writes: Commit['writes'] =
    action === 'put'
      ? [put(name, { text: `${text} ${term}`, terms: [term], in: { cluster } })]
      : [remove(name, { type: 'present' }, { cluster })];
  await store.commit({ writes });
  if (action === 'put') model.set(name, `${text} ${term}`);
  else model.delete(name);
}

const sorted = (model: Model): [string, string][] => [...model].sort(([a], [b]) => (a < b ? -1 : 1));
const toPair = (object: StoredObject): [string, string] => [pathOf(object), textOf(object) ?? ''];

/** Pages of one revision, whatever happens meanwhile. */
export function pagingContract(open: OpenStore): void {
  for (const terms of [undefined, [[7]]])
    test(`pages of a size end with the object that reaches it${terms ? ', with terms too' : ''}`, async () => {
      await using opened = await open();
      const { store } = opened;
      const names = Array.from({ length: 60 }, (_, index) => `a/${String(index).padStart(2, '0')}`);
      for (const [index, name] of names.entries()) {
        const text = 'x'.repeat(index % 2 === 0 ? 100 : 3000);
        await store.commit({ writes: [put(name, { text, terms: [7], in: { cluster: 'sized' } })] });
      }
      const query = {
        cluster: 'sized',
        resource: '/things',
        maxBytes: 10_000,
        isCounted: false,
        ...(terms && { terms }),
      };
      const seen: string[] = [];
      for (let after: StoredObject['key'] | undefined; ; ) {
        const page = await store.list({ ...query, ...(after && { after }) });
        const sizes = page.items.map(({ value }) => value.bytes.length);
        const before = sizes.slice(0, -1).reduce((sum, size) => sum + size, 0);
        assert.ok(before < 10_000, `the page went on at ${before} bytes`);
        assert.equal(page.remaining, undefined);
        seen.push(...page.items.map(pathOf));
        after = page.items.at(-1)?.key;
        if (!page.more) break;
        assert.ok(before + (sizes.at(-1) ?? 0) >= 10_000, 'the page ended early');
      }
      assert.deepEqual(seen, names);
    });

  test('pages of a revision show its state during writes', async () => {
    await using opened = await open();
    const { store } = opened;
    let run = 0;
    const property = fc.asyncProperty(history, async ({ before, after, limit }) => {
      const cluster = `run-${run++}`;
      const model: Model = new Map();
      for (const [index, step] of before.entries()) await perform(store, cluster, model, step, `before ${index}`);
      const at = await store.currentRevision();
      const [expected, later] = [sorted(model), [...after]];
      const ofTerm = expected.filter(([, text]) => text.endsWith(' 1'));
      const seen: [string, string][] = [];
      for (let last = keyOf(''), more = true; more; ) {
        const page = await store.list({ cluster, resource: '/things', limit, at, after: { ...last, cluster } });
        assert.equal(page.revision, at);
        seen.push(...page.items.map(toPair));
        if (page.more) assert.equal(page.remaining, expected.length - seen.length);
        more = page.more;
        last = page.items.at(-1)?.key ?? last;
        const next = later.splice(0, 3);
        for (const [index, step] of next.entries())
          await perform(store, cluster, model, step, `after ${later.length} ${index}`);
      }
      for (const [index, step] of later.entries()) await perform(store, cluster, model, step, `rest ${index}`);
      assert.deepEqual(seen, expected);
      const terms = [[1]];
      const byTerm = await store.list({ cluster, resource: '/things', terms, at });
      assert.deepEqual(byTerm.items.map(toPair), ofTerm);
      const now = await store.list({ cluster, resource: '/things' });
      assert.deepEqual(now.items.map(toPair), sorted(model));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('a long list shows one state while others write', async () => {
    await using opened = await open();
    const { store } = opened;
    const names = Array.from({ length: 2000 }, (_, index) => `n/${String(index).padStart(4, '0')}`);
    await store.commit({ writes: names.map(name => put(name, { text: '0' })) });
    let isDone = false;
    const writing = (async () => {
      // All objects get the same text in one commit, so a list with two texts would be torn.
      for (let text = 1; !isDone; text++)
        await store.commit({ writes: names.map(name => put(name, { text: String(text) })) });
    })();
    for (let time = 0; time < 5; time++) {
      const page = await store.list({ cluster: 'main', resource: '/things', filter: () => true });
      assert.equal(page.items.length, names.length);
      assert.equal(new Set(page.items.map(textOf)).size, 1);
    }
    isDone = true;
    await writing;
  });
}
