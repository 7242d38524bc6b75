import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compileRuleValidator } from './cel/index.ts';
import { nativeTestOf } from './native-pattern.ts';
import { maxPatternMs } from './pattern-clock.ts';
import { Pattern } from './patterns.ts';
import { checkStructural } from './structural.ts';
import { threadMs } from './thread-time.ts';
import { compileValidator } from './validate.ts';

/** Matches nothing at the end of a text of a and b, and needs a new state for each character. */
const badPattern = '(?i)^(.*)a.{1000}[cd]$';
const badText = Array.from({ length: 150_000 }, (_, i) => ((i * 2654435761) % 7 < 3 ? 'a' : 'B')).join('');
const schemaOf = (text: object) => ({ type: 'object', properties: { text: { type: 'string', ...text } } }) as const;

describe('a pattern that is expensive to match', () => {
  it('is given up after a while, with a cause that says so', () => {
    const validate = compileValidator(schemaOf({ pattern: badPattern }));
    const before = threadMs();
    const [cause] = validate({ text: badText });
    const took = threadMs() - before;
    assert.match(cause?.message ?? '', /too expensive to validate by the pattern/);
    assert.ok(took < 10 * maxPatternMs, `it took ${took} ms`);
  });

  it('has one budget for all values of an object', () => {
    const texts = Array.from({ length: 2000 }, (_, i) => badText.slice(i, i + 400));
    const validate = compileValidator({
      type: 'object',
      properties: { texts: { type: 'array', items: { type: 'string', pattern: '(?i)^(.*)a.{200}[cd]$|^[ab]+$' } } },
    });
    const before = threadMs();
    const causes = validate({ texts: [...texts, ...texts, ...texts].map((text, i) => text + 'ab'[i % 2]) });
    const took = threadMs() - before;
    assert.ok(took < 10 * maxPatternMs, `it took ${took} ms`);
    assert.ok(causes.length <= 1);
  });

  for (const rule of [
    `self.matches('${badPattern}')`,
    `self.find('${badPattern}') == ''`,
    `self.findAll('${badPattern}').size() == 0`,
    `self.matches('(?i)^(.*)a.{' + string(990 + self.size() % 10) + '}[cd]$')`,
  ]) {
    it(`stops the rule ${rule.slice(0, 20)}…`, () => {
      const validate = compileRuleValidator(schemaOf({ 'x-kubernetes-validations': [{ rule }] }));
      const before = threadMs();
      const [cause] = validate?.({ text: badText }) ?? [];
      const took = threadMs() - before;
      assert.match(cause?.message ?? '', /running out of cost budget/);
      assert.ok(took < 500, `it took ${took} ms`);
    });
  }

  it('does not keep ordinary patterns from long texts', () => {
    const base64 = 'QUJDRA'.repeat(200_000);
    for (const pattern of ['^[A-Za-z0-9+/]*={0,2}$', '^[A-Za-z0-9+/=]*$', 'x?']) {
      assert.deepEqual(compileValidator(schemaOf({ pattern }))({ text: base64.slice(0, 1_000_000) }), [], pattern);
    }
  });
});

describe('the patterns of a schema', () => {
  it('must not be too large, alone or together', () => {
    assert.match(
      checkStructural(schemaOf({ pattern: '((a?){100}b?){10}(c?){900}' }), '')[0]?.message ?? '',
      /too large/,
    );
    const properties = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`p${i}`, { type: 'string', pattern: `[a-z${i}]{900}` }]),
    );
    const causes = checkStructural({ type: 'object', properties }, 'schema');
    assert.match(causes[0]?.message ?? '', /must not have more than 20000 instructions/);
  });

  it('count once, however often they are used', () => {
    const pattern = '^[a-z]{1,200}$';
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: 'string', pattern }]),
    );
    assert.deepEqual(checkStructural({ type: 'object', properties }, 'schema'), []);
  });
});

describe('a simple pattern', () => {
  const budget = { chargeSteps: () => undefined };
  for (const pattern of [
    '^[a-z]+$',
    '^[^a]*$',
    '^a{2,5}b$',
    '^[-a-z0-9.]*$',
    '^\\d{3}-\\w+$',
    '^[\\]a]*$',
    '^ab?c$',
    '^[a-c-]+$',
    '^$',
  ]) {
    it(`means the same to both engines: ${pattern}`, () => {
      const test = nativeTestOf(pattern);
      assert.ok(test !== undefined);
      const compiled = RE2JS.compile(pattern);
      const texts = fc.oneof(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '.', ']', '1', '\n', 'é', '😀', '\\', '_') }),
        fc.string({ unit: 'binary' }),
      );
      fc.assert(fc.property(texts, text => assert.equal(test(text), compiled.test(text))));
    });
  }

  for (const pattern of [
    '^(a+)+$',
    '^a*a*$',
    '[a-z]+$',
    '^[a-z]+',
    '^.*$',
    '^\\s*$',
    '^a+b+$',
    '(?i)^a$',
    '^a|b$',
    '^[[:alpha:]]$',
    '^[\\pL]$',
    '^a{2}{3}$',
    '^[a&&b]$',
  ]) {
    it(`does not include ${pattern}`, () => assert.equal(nativeTestOf(pattern), undefined));
  }

  it('is found by RE2 when it is not simple', () => {
    assert.equal(new Pattern('a.b').test('xa\rby', budget), true);
    assert.deepEqual(new Pattern('a+').findAll('aa b a', 5, budget), ['aa', 'a']);
  });
});
