import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import fc from 'fast-check';
import { FollowedTable } from './followed-table.ts';
import { MemoryTable, type TableRow } from './memory-table.ts';

const rowAt = (revision: number, id = 'x'): TableRow => ({ id, uid: id, revision, createdAt: 'then' });
const newFollowed = (): FollowedTable<TableRow> => {
  const followed = new FollowedTable<TableRow>(new MemoryTable({ indexes: {}, logger: silentLogger }));
  followed.beginList();
  followed.endList(1);
  return followed;
};
const revisionOf = ({ table }: FollowedTable<TableRow>, id = 'x'): number | undefined => table.get(id)?.revision;

test('a watch event that is not newer than an own write is ignored', () => {
  const followed = newFollowed();
  followed.putOwn(rowAt(5));
  assert.deepEqual([followed.put(rowAt(4)), followed.put(rowAt(5)), followed.remove('x', 4)], [[], [], []]);
  assert.equal(revisionOf(followed), 5);
  followed.put(rowAt(6));
  assert.equal(revisionOf(followed), 6);
});

test('an event of the very state that is here is known without being read, and the table has come so far', () => {
  const followed = newFollowed();
  followed.putOwn(rowAt(5));
  assert.deepEqual(
    [followed.passIfKnown('x', 4), followed.passIfKnown('x', 6), followed.passIfKnown('y', 5)],
    [false, false, false],
  );
  assert.equal(followed.position, 1);
  assert.equal(followed.passIfKnown('x', 5), true);
  assert.equal(followed.position, 5);
});

test('a list that names the very state that is here keeps it', () => {
  const followed = newFollowed();
  followed.put(rowAt(5));
  followed.beginList();
  assert.equal(followed.passIfKnown('x', 5), true);
  assert.deepEqual(followed.endList(7), []);
  assert.equal(revisionOf(followed), 5);
});

test('a row that was removed here is not brought back by an older event, but by a newer one', () => {
  const followed = newFollowed();
  followed.putOwn(rowAt(5));
  followed.removeOwn('x', 7);
  followed.put(rowAt(5));
  followed.put(rowAt(6));
  assert.equal(revisionOf(followed), undefined);
  assert.deepEqual(followed.remove('x', 7), []);
  followed.put(rowAt(8));
  assert.equal(revisionOf(followed), 8);
});

test('a commit whose result comes later than what followed it is ignored', () => {
  const followed = newFollowed();
  followed.put(rowAt(5));
  followed.remove('x', 6);
  assert.deepEqual(followed.putOwn(rowAt(5)), []);
  followed.put(rowAt(7));
  assert.deepEqual(followed.removeOwn('x', 6), []);
  assert.equal(revisionOf(followed), 7);
});

test('two own commits whose results come in the wrong order leave the later state', () => {
  const followed = newFollowed();
  followed.removeOwn('x', 6);
  followed.putOwn(rowAt(5));
  assert.equal(revisionOf(followed), undefined);
});

test('a new list removes what it lacks, unless that is newer', () => {
  const followed = newFollowed();
  for (const id of ['stays', 'goes']) followed.put(rowAt(2, id));
  followed.beginList();
  followed.putOwn(rowAt(9, 'new'));
  followed.putOwn(rowAt(6, 'goes too'));
  followed.put(rowAt(7, 'stays'));
  assert.equal(followed.position, 2);
  const changes = followed.endList(8);
  assert.deepEqual(changes.map(({ type, row }) => `${type} ${row.id}`).sort(), ['removed goes', 'removed goes too']);
  assert.deepEqual([revisionOf(followed, 'stays'), revisionOf(followed, 'new'), followed.position], [7, 9, 8]);
});

/** What happens to one row in the store, by whom. */
const history = fc.array(fc.record({ isOwn: fc.boolean(), isRemoval: fc.boolean() }), { maxLength: 12 });

test('however late own commits and events come, the table ends as the store', () => {
  fc.assert(
    fc.property(history, fc.array(fc.boolean(), { minLength: 24 }), (events, watchIsNext) => {
      const followed = newFollowed();
      const all = events.map((event, index) => ({ ...event, revision: index + 2 }));
      const own = all.filter(({ isOwn }) => isOwn);
      const watched = [...all];
      while (own.length + watched.length > 0) {
        const fromWatch = own.length === 0 || (watched.length > 0 && watchIsNext.shift() === true);
        const event = fromWatch ? watched.shift() : own.shift();
        if (event === undefined) continue;
        const { isRemoval, revision } = event;
        if (isRemoval) followed[fromWatch ? 'remove' : 'removeOwn']('x', revision);
        else followed[fromWatch ? 'put' : 'putOwn'](rowAt(revision));
      }
      const last = all.at(-1);
      assert.equal(revisionOf(followed), last === undefined || last.isRemoval ? undefined : last.revision);
    }),
    { numRuns: 1000 },
  );
});

test('what has no object of its own is not missed in a list', () => {
  const followed = newFollowed();
  followed.table.put({ ...rowAt(0, 'embedded'), uid: '' });
  followed.beginList();
  followed.endList(9);
  assert.equal(revisionOf(followed, 'embedded'), 0);
});
