import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NameIndex, type NameSet } from './name-index.ts';

test('equal subscriptions share one set, until one of them changes', () => {
  const index = new NameIndex<string>();
  const settled = ['one', 'two'].map(member => {
    const set = index.change(member, undefined, { add: new Set(['a', 'b']) });
    assert.ok(set);
    return index.share(member, set);
  });
  const [one, two] = settled;
  assert.ok(one && two);
  assert.equal(one, two);
  const own = index.change('two', two, { remove: new Set(['b']), add: new Set(['c']) });
  assert.notEqual(own, one);
  assert.deepEqual([[...one.names], [...one.members]], [['a', 'b'], ['one']]);
  assert.deepEqual(new Set(own?.names), new Set(['a', 'c']));
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.record({
  member: fc.constantFrom('1', '2', '3'),
  do: fc.constantFrom('change', 'share', 'leave'),
  add: fc.uniqueArray(name),
  remove: fc.uniqueArray(name),
});

test('exactly the subscribers of a name are found', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.uniqueArray(name), (steps, names) => {
      const index = new NameIndex<string>();
      const wanted = new Map<string, Set<string>>();
      const sets = new Map<string, NameSet<string> | undefined>();
      for (const { member, do: what, add, remove } of steps) {
        const set = sets.get(member);
        if (what === 'change') {
          sets.set(member, index.change(member, set, { add: new Set(add), remove: new Set(remove) }));
          wanted.set(member, (wanted.get(member) ?? new Set()).union(new Set(add)).difference(new Set(remove)));
        } else if (set !== undefined && what === 'share') sets.set(member, index.share(member, set));
        else if (set !== undefined) {
          index.leave(member, set);
          sets.delete(member);
          wanted.delete(member);
        }
      }
      const changed = new Set<string>(names);
      const found: Record<string, string[]> = {};
      for (const [{ members }, names] of index.affected(changed))
        for (const member of members) found[member] = [...names].sort();
      const expected: Record<string, string[]> = {};
      for (const [member, names] of wanted) {
        const concerned = [...names].filter(each => changed.has(each)).sort();
        if (concerned.length > 0) expected[member] = concerned;
      }
      assert.deepEqual(found, expected);
      const present = [...new Set(sets.values())].filter(set => set !== undefined);
      assert.equal(index.nameCount, new Set(present.flatMap(set => [...set.names])).size);
      assert.equal(
        index.subscriptionCount,
        present.reduce((sum, set) => sum + set.names.size, 0),
      );
    }),
  );
});
