import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillIn, matchOutput, rewriteExpected } from './transcript-match.ts';

const cases = [
  { why: 'equal lines match', expected: ['a', 'b'], actual: ['a', 'b'], learns: {} },
  { why: 'a different line does not', expected: ['a'], actual: ['b'] },
  { why: 'nothing is not something', expected: ['a'], actual: [] },
  { why: 'more than expected is a difference', expected: ['a'], actual: ['a', 'b'] },
  { why: 'special characters mean themselves', expected: ['a.c (1)'], actual: ['a.c (1)'], learns: {} },
  { why: 'a dot is not any character', expected: ['a.c'], actual: ['abc'] },
  { why: 'dots match no line', expected: ['a', '...', 'b'], actual: ['a', 'b'], learns: {} },
  { why: 'dots match many lines', expected: ['...', 'b'], actual: ['a', 'b', 'a', 'b'], learns: {} },
  { why: '<any> matches within the line', expected: ['took <any> ms, ok'], actual: ['took 1 or 2 ms, ok'], learns: {} },
  { why: '<any> is not nothing', expected: ['a<any>'], actual: ['a'] },
  { why: '<none> is what kubectl prints', expected: ['<none>'], actual: ['<none>'], learns: {} },
  { why: 'a new name is learnt', expected: ['id <?id>.'], actual: ['id 42.'], learns: { id: '42' } },
  { why: 'a learnt name must stay the same', expected: ['<?id>', '<?id>'], actual: ['1', '2'] },
  { why: 'even within a line', expected: ['<?id>-<?id>'], actual: ['1-2'] },
  { why: 'a known name must be equal', expected: ['<?known>'], actual: ['else'] },
  { why: 'and is', expected: ['on <?known>'], actual: ['on v1.0'], learns: {} },
  {
    why: 'a name learnt behind the wrong line is forgotten',
    expected: ['...', 'id <?id>', 'end'],
    actual: ['id 1', 'id 2', 'end'],
    learns: { id: '2' },
  },
] as const;

for (const { why, expected, actual, ...rest } of cases) {
  test(`transcripts: ${why}`, () => {
    const known = { known: 'v1.0' };
    const learns = 'learns' in rest ? { ...known, ...rest.learns } : undefined;
    assert.deepEqual(matchOutput(expected, actual, known), learns);
  });
}

test('known names are filled into commands', () => {
  assert.equal(fillIn('get <?id> <?other> <any>', { id: '42' }), 'get 42 <?other> <any>');
});

test('rewriting keeps lines that hold and names known values', () => {
  const rewritten = rewriteExpected(['took <any>', 'old'], ['took 3 ms', 'at port 12345'], { port: '12345' });
  assert.deepEqual(rewritten, ['took <any>', 'at port <?port>']);
});
