import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { checkWords, narrativeProblems, wideLines } from './check-words.ts';

const cases = [
  { why: 'a doc comment', path: 'a.ts', source: '/** Tells the proxies. */', words: ['Tells'] },
  { why: 'a comment behind code', path: 'a.ts', source: 'const a = 1; // nobody reads it', words: ['nobody'] },
  { why: 'a message', path: 'a.ts', source: "throw new Error('the row is gone');", words: ['gone'] },
  { why: 'a message with values', path: 'a.ts', source: 'log(`what $' + '{a} wished for`);', words: ['wished'] },
  { why: 'a sentence of Markdown', path: 'a.md', source: 'It goes on.', words: ['goes on'] },
  { why: 'a constant that is one word', path: 'a.ts', source: "const state = 'gone';", words: [] },
  { why: 'a name of a test', path: 'a.test.ts', source: "test('tells the time', run);", words: [] },
  { why: 'a comment of a test', path: 'a.test.ts', source: '// told', words: ['told'] },
  { why: 'the HTTP status', path: 'a.ts', source: '// 410 Gone after compaction', words: [] },
  { why: 'a word within another one', path: 'a.ts', source: '// indoors, filling', words: [] },
  { why: 'code in a sentence', path: 'a.md', source: 'Call `tell()`.', words: [] },
  { why: 'a block of code', path: 'a.md', source: '```\ntell\n```\n', words: [] },
];

for (const { why, path, source, words } of cases) {
  test(`narrative words in ${why}: ${words.length > 0 ? words.join(', ') : 'none'}`, () => {
    const found = narrativeProblems(path, source).map(problem => /"(.*?)"/.exec(problem)?.[1]);
    assert.deepEqual(found, words, why);
  });
}

test('a problem names the line and what to write instead', () => {
  assert.deepEqual(narrativeProblems('a.md', 'One.\nA shelf.'), ['a.md:2: "shelf": better cache']);
});

test('a check that reads too few files reports itself as broken', async () => {
  await using folder = await tempFolder();
  await assert.rejects(checkWords(folder.join('none'), 1));
  const { problems } = await checkWords(import.meta.dirname, 100_000);
  assert.match(problems[0] ?? '', /the check itself is broken/);
});

test('lines of Markdown that are too wide are named, but for tables and code', () => {
  const wide = 'word '.repeat(30);
  const source = ['short', wide, `| ${wide} |`, '```', wide, '```'].join('\n');
  assert.deepEqual(wideLines('a.md', source), ['a.md:2: wrap it at 120 columns']);
  assert.deepEqual(wideLines('a.ts', wide), []);
});
