import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yamlToJson } from './yaml-to-json.ts';

const decodeYaml = (text: string): unknown => JSON.parse(yamlToJson(text));

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

test('what JSON can say comes out as JSON', () => {
  const text = 'a: 1\nb: [x, {c: null}]\nd: |\n  two\n  lines\ne: &e {f: true}\ng: *e\n__proto__: 1\n';
  const expected = '{"a":1,"b":["x",{"c":null}],"d":"two\\nlines\\n","e":{"f":true},"g":{"f":true},"__proto__":1}';
  assert.equal(JSON.stringify(decodeYaml(text)), expected);
  assert.equal(decodeYaml(''), null);
});

test('a manifest with many fields and long texts is read', () => {
  const fields = decodeYaml(lines(20_000, index => `k${index}: v`)) as Record<string, string>;
  assert.equal(Object.keys(fields).length, 20_000);
  const { text } = decodeYaml(`text: |\n${lines(20_000, () => '  [[[ * & {{{ , : -')}`) as { text: string };
  assert.equal(text.split('\n').length, 20_001);
});

const refused: readonly (readonly [string, string])[] = [
  ['broken syntax', 'a: [1'],
  ['a key given twice', 'a: 1\nb: {c: 1, c: 2}'],
  ['two documents', 'a: 1\n---\nb: 2'],
  ['nested flow', `a: ${'['.repeat(100_000)}`],
  ['nested blocks', lines(3000, index => `${' '.repeat(index)}a:`)],
  ['nested items', `${'- '.repeat(100_000)}`],
  ['too many parts', '- a\n'.repeat(200_000)],
  ['an alias of itself', 'a: &a [*a]'],
  [
    'aliases of aliases',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcd'[at]}`).join(',')}]`).join('\n')}`,
  ],
  ['aliases of a long text', `a: &a ${'x'.repeat(1_000_000)}\nb: [${Array(90).fill('*a').join(', ')}]`],
];

for (const [what, text] of refused) {
  test(`${what} is rejected`, () => {
    assert.throws(() => decodeYaml(text), { code: 'BadRequest' });
  });
}
