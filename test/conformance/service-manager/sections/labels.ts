import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError, assertStatus, type Body } from '../support/http.ts';
import { registerPlatform } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/platforms';
type Labels = Record<string, string[]>;

const change = (op: string, key: string, values?: string[]): Body => ({ op, key, ...(values && { values }) });

/** Section 8: labels and their changes. */
export function labels(stage: Stage): void {
  describe('labels', () => {
    const start = { a: ['1', '2'], b: ['3'] };
    const cases: readonly [why: string, changes: unknown, expected: Labels][] = [
      ['add makes a key', [change('add', 'c', ['4'])], { ...start, c: ['4'] }],
      ['add adds values', [change('add', 'a', ['3'])], { ...start, a: ['1', '2', '3'] }],
      ['add without values adds an empty one', [change('add', 'c')], { ...start, c: [''] }],
      ['add of what is there changes nothing', [change('add', 'a', ['1'])], start],
      ['add_values is the same', [change('add_values', 'a', ['3', '3'])], { ...start, a: ['1', '2', '3'] }],
      ['remove drops the key', [change('remove', 'a')], { b: ['3'] }],
      ['remove ignores values', [change('remove', 'a', ['1'])], { b: ['3'] }],
      ['remove of what is not there changes nothing', [change('remove', 'c')], start],
      ['remove_values drops values', [change('remove_values', 'a', ['1'])], { ...start, a: ['2'] }],
      ['the key goes with its last value', [change('remove_values', 'b', ['3'])], { a: ['1', '2'] }],
      ['remove_values of what is not there changes nothing', [change('remove_values', 'a', ['9'])], start],
      [
        'changes apply in their order',
        [change('add', 'c', ['1']), change('remove', 'c'), change('add', 'c', ['2'])],
        { ...start, c: ['2'] },
      ],
      ['no change is one too', [], start],
      [
        'keys may have any characters but blanks',
        [change('add', 'dots.and:colons/é', ['x'])],
        { ...start, 'dots.and:colons/é': ['x'] },
      ],
    ];
    for (const [why, changes, expected] of cases)
      test(why, async () => {
        const { id } = await registerPlatform(stage, { labels: start });
        const changed = await stage.patch(`${path}/${id}`, { labels: changes });
        assertStatus(changed, 200);
        assert.deepEqual(changed.body['labels'], expected);
        assert.deepEqual((await stage.get(`${path}/${id}`)).body['labels'], expected);
      });
    test('values given twice count once, and none at all are left out', async () => {
      const created = await stage.post(path, { name: stage.name('p'), type: 't', labels: { a: ['1', '1'], b: [] } });
      assert.deepEqual(created.body['labels'], { a: ['1'] });
      const bare = await stage.post(path, { name: stage.name('p'), type: 't' });
      assert.equal('labels' in bare.body, false);
    });
    const bad: readonly [why: string, changes: unknown][] = [
      ['a change without op', [{ key: 'a' }]],
      ['a change without key', [{ op: 'add' }]],
      ['add_values without values', [change('add_values', 'a')]],
      ['remove_values without values', [change('remove_values', 'a', [])]],
      ['another op (deviation: it is not ignored)', [change('replace', 'a', ['1'])]],
      ['a map', { a: ['1'] }],
      ['values that are no texts', [{ op: 'add', key: 'a', values: [1] }]],
      ['a key with a blank', [change('add', 'a b', ['1'])]],
      ['a value with a newline', [change('add', 'a', ['1\n2'])]],
      ['a value of 256 characters', [change('add', 'a', ['x'.repeat(256)])]],
    ];
    for (const [why, changes] of bad)
      test(`a PATCH refuses ${why}, and changes nothing`, async () => {
        const { id } = await registerPlatform(stage, { labels: start });
        const good = change('add', 'c', ['4']);
        const list = Array.isArray(changes) ? [good, ...(changes as unknown[])] : changes;
        assertError(await stage.patch(`${path}/${id}`, { labels: list, description: 'x' }), 400, 'BadRequest');
        const { body } = await stage.get(`${path}/${id}`);
        assert.deepEqual([body['labels'], body['description']], [start, '']);
      });
    for (const wrong of [
      { 'a b': ['1'] },
      { '': ['1'] },
      { 'a\nb': ['1'] },
      { a: ['1\n2'] },
      { a: 'x' },
      { a: [1] },
      [],
      'x',
    ])
      test(`a POST refuses ${JSON.stringify(wrong)}`, async () =>
        assertError(await stage.post(path, { name: stage.name('p'), type: 't', labels: wrong }), 400, 'BadRequest'));
  });
}
