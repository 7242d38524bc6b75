import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RE2 } from 're2-wasm';
import { compilePattern, patternProblem } from './pattern.ts';

/** RE2, the engine of proxies. It takes half a millisecond, and its memory is never freed. */
function re2(pattern: string): RE2 | undefined {
  try {
    return new RE2(pattern, 'u');
  } catch {
    return undefined;
  }
}

const accepted = [
  '',
  '/',
  '/api/.*',
  '/users/[0-9]+',
  '(?i)/API',
  '(?i:a)b',
  'a|b|',
  '(?:a|b)*c',
  '[^/]+',
  '[]a]',
  '[a-]',
  '[[:alpha:]_]',
  '\\d{3}',
  'a{2,}',
  'a{2,3}?',
  'x{',
  'x{a}',
  '\\x41\\x{42}',
  '\\pL\\p{Lu}\\P{Greek}\\p{^N}',
  '(?P<name>a)',
  '^a$',
  '\\bA\\B',
  '.',
  '\\.',
  '(?-s).',
  '(?m)^a$',
  '[\\w.-]+',
  '[\\]]',
  '}',
  ']',
  '\\/v1\\/',
  '(a)(b)',
  'a\\z',
]; // prettier-ignore

const refused = [
  { pattern: '(?=a)', why: /look-around/ },
  { pattern: '(?!a)', why: /look-around/ },
  { pattern: '(?<=a)b', why: /look-around/ },
  { pattern: '(a)\\1', why: /no meaning/ },
  { pattern: '(', why: /no \)/ },
  { pattern: ')', why: /no \(/ },
  { pattern: '[', why: /no ]/ },
  { pattern: '[a', why: /no ]/ },
  { pattern: '[b-a]', why: /wrong way/ },
  { pattern: '*a', why: /nothing that/ },
  { pattern: 'a**', why: /repeated/ },
  { pattern: 'a{1001}', why: /at most 1000/ },
  { pattern: 'a{2,1}', why: /no repetition/ },
  { pattern: '((a{100}){100}){100}', why: /too large/ },
  { pattern: '\\', why: /backslash/ },
  { pattern: '\\u0041', why: /no meaning/ },
  { pattern: '\\cA', why: /no meaning/ },
  { pattern: '(?P<a>x)(?P<a>y)', why: /two groups/ },
  { pattern: 'a'.repeat(1025), why: /longer than/ },
  { pattern: '('.repeat(200) + ')'.repeat(200), why: /deeply/ },
  { pattern: '(?<name>a)', why: /only the flags/ },
  { pattern: '(?U)a', why: /only the flags/ },
  { pattern: '(?)', why: /is empty/ },
  { pattern: '\\p{Kawi}', why: /no Unicode class/ },
  { pattern: '[\\p{Kawi}]', why: /no Unicode class/ },
  { pattern: '\\Qa\\E', why: /no meaning/ },
  { pattern: '\\x{d800}', why: /no character/ },
  { pattern: '[[:foo:]]', why: /no class of characters/ },
];

describe('a pattern', () => {
  for (const pattern of accepted) {
    test(`is read as RE2 reads it: ${pattern}`, () => {
      assert.equal(patternProblem(pattern), undefined);
      assert.ok(re2(pattern));
    });
  }
  for (const { pattern, why } of refused) {
    test(`is rejected: ${pattern.slice(0, 30)}`, () => {
      assert.match(patternProblem(pattern) ?? 'accepted', why);
      assert.equal(compilePattern(pattern), undefined);
    });
  }

  const token = fc.constantFrom(
    'a',
    'b',
    '/',
    '.',
    '*',
    '+',
    '?',
    '|',
    '(',
    ')',
    '[',
    ']',
    '^',
    '$',
    '-',
    '{2}',
    '{1,}',
    '\\d',
    '\\w',
    '\\b',
    '(?:',
    '(?i)',
    '[^',
    '\\',
  ); // prettier-ignore
  const pattern = fc.array(token, { maxLength: 8 }).map(parts => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', 'A', '/', '1', '-'), { maxLength: 6 }).map(parts => parts.join(''));

  test('that is accepted means the same to proxies, whatever it is', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 3 }), (each, texts) => {
        const matcher = compilePattern(each);
        if (matcher === undefined) return;
        const [whole, start] = [re2(`^(?:${each})$`), re2(`^(?:${each}).*$`)];
        assert.ok(re2(each), `RE2 refuses ${each}`);
        for (const some of texts) {
          assert.equal(matcher.matchesWhole(some), whole?.test(some), `${each} on all of ${some}`);
          assert.equal(matcher.matchesStart(some), start?.test(some), `${each} on the start of ${some}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('costs little for any pattern', () => {
    const matcher = compilePattern('(?:(?:x+)+)+y');
    assert.equal(matcher?.matchesWhole('x'.repeat(2000)), false);
  });
});
