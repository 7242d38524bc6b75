import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListOptions } from '../client.ts';
import type { Widget, World } from './test-world.ts';
import { bound } from './write-contract.ts';

const namesOf = (items: readonly Widget[]): string[] => items.map(({ metadata }) => metadata.name ?? '').sort();

/** Lists, selectors and pages. */
export function describeListing(world: () => World): void {
  /** Five widgets that only this test knows. */
  async function five() {
    const { metadata, labelSelector } = world().mark();
    const labels = (more: Record<string, string>) => ({ metadata: { labels: { ...metadata.labels, ...more } } });
    const made: Widget[] = [];
    for (let index = 0; index < 5; index++)
      made.push(await world().make(labels({ index: String(index), ...(index < 2 ? { low: 'yes' } : {}) })));
    return { made, labelSelector };
  }

  describe('listing', () => {
    test('answers objects that reading answers too, and the kind of the list', async () => {
      const { client, widgets } = world();
      const { made, labelSelector } = await five();
      const list = await client.list<Widget>(widgets, { labelSelector });
      assert.deepEqual([list.kind, list.apiVersion], ['WidgetList', `${world().group}/v1`]);
      assert.ok(list.metadata.resourceVersion);
      const byName = (left: Widget, right: Widget) => (left.metadata.uid ?? '').localeCompare(right.metadata.uid ?? '');
      assert.deepEqual(list.items.toSorted(byName), made.toSorted(byName));
    });

    test('selects by labels and fields', async () => {
      const { client, widgets } = world();
      const { made, labelSelector: own } = await five();
      const name = made[3]?.metadata.name ?? '';
      const cases: readonly [options: ListOptions, expected: readonly number[]][] = [
        [{ labelSelector: `${own},index=1` }, [1]],
        [{ labelSelector: `${own},index!=1` }, [0, 2, 3, 4]],
        [{ labelSelector: `${own},index in (2,4)` }, [2, 4]],
        [{ labelSelector: `${own},index notin (2,4)` }, [0, 1, 3]],
        [{ labelSelector: `${own},low` }, [0, 1]],
        [{ labelSelector: `${own},!low` }, [2, 3, 4]],
        [{ fieldSelector: `metadata.name=${name}` }, [3]],
        [{ labelSelector: own, fieldSelector: `metadata.name!=${name}` }, [0, 1, 2, 4]],
        [{ labelSelector: `${own},index=9` }, []],
      ];
      for (const [options, expected] of cases) {
        const wanted = namesOf(expected.map(index => made[index] as Widget));
        assert.deepEqual(namesOf((await client.list<Widget>(widgets, options)).items), wanted, JSON.stringify(options));
      }
    });

    test('covers one namespace or all', async () => {
      const { client, widgets } = world();
      const { made, labelSelector } = await five();
      const { namespace: _, ...everywhere } = widgets;
      assert.deepEqual(namesOf((await client.list<Widget>(everywhere, { labelSelector })).items), namesOf(made));
      const elsewhere = { ...widgets, namespace: 'default' };
      assert.deepEqual((await client.list(elsewhere, { labelSelector })).items, []);
    });

    test('in pages shows the state of the first one', async () => {
      const { client, widgets, at } = bound(world());
      const { made, labelSelector } = await five();
      const first = await client.list<Widget>(widgets, { labelSelector, limit: 2 });
      assert.equal(first.items.length, 2);
      const seen = [...first.items];
      const rest = made.filter(({ metadata }) => !namesOf(seen).includes(metadata.name ?? ''));
      await Promise.all(rest.map(widget => client.delete(at(widget))));
      let token = first.metadata.continue;
      while (token) {
        const page = await client.list<Widget>(widgets, { labelSelector, limit: 2, continue: token });
        assert.equal(page.metadata.resourceVersion, first.metadata.resourceVersion);
        seen.push(...page.items);
        token = page.metadata.continue;
      }
      assert.deepEqual(namesOf(seen), namesOf(made));
      assert.equal((await client.list(widgets, { labelSelector })).items.length, 2);
    });

    test('all walks through the pages', async () => {
      const { client, widgets } = world();
      const { made, labelSelector } = await five();
      for (const limit of [1, 2, 5, 500]) {
        const all = await Array.fromAsync(client.listAll<Widget>(widgets, { labelSelector, limit }));
        assert.deepEqual(namesOf(all), namesOf(made));
      }
      assert.deepEqual(
        namesOf(await Array.fromAsync(client.listAll<Widget>(widgets, { labelSelector }))),
        namesOf(made),
      );
    });

    test('sees what was written before, at the revision asked for or later', async () => {
      const { client, widgets, at } = bound(world());
      const { made, labelSelector } = await five();
      const { resourceVersion = '' } = (await client.list(widgets, { labelSelector })).metadata;
      await client.delete(at(made[0] as Widget));
      const exact = { labelSelector, resourceVersion, resourceVersionMatch: 'Exact' } as const;
      assert.equal((await client.list(widgets, exact)).items.length, 5);
      const later = await client.list(widgets, { ...exact, resourceVersionMatch: 'NotOlderThan' });
      assert.ok([4, 5].includes(later.items.length));
      assert.equal((await client.list(widgets, { labelSelector })).items.length, 4);
    });

    test('rejects what it does not understand', async () => {
      const { client, widgets } = world();
      const bad: readonly ListOptions[] = [
        { labelSelector: 'a in (' },
        { fieldSelector: 'spec.note=x' },
        { continue: 'nonsense' },
        { resourceVersionMatch: 'Exact' },
      ];
      for (const options of bad) {
        const refused = (error: unknown): boolean =>
          ['BadRequest', 'Invalid'].includes((error as { code: string }).code);
        await assert.rejects(client.list(widgets, options), refused, JSON.stringify(options));
      }
      await assert.rejects(client.list({ ...widgets, plural: 'gadgets' }), { code: 'NotFound' });
    });
  });
}
