import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allRights, type PolicyRule, ruleAllows } from './rbac.ts';
import { coversRules, missingPermissions } from './rule-cover.ts';

const words = (text: string): string[] => (text === '' ? [] : text.split(' ').map(word => (word === "''" ? '' : word)));
const rule = (verbs: string, apiGroups: string, resources: string, names = ''): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: words(apiGroups),
  resources: words(resources),
  ...(names === '' ? {} : { resourceNames: words(names) }),
});
const paths = (verbs: string, urls: string): PolicyRule => ({ verbs: words(verbs), nonResourceURLs: words(urls) });

const table: readonly (readonly [why: string, held: PolicyRule[], wanted: PolicyRule[], boolean])[] = [
  ['nothing is always held', [], [], true],
  ['something is not held by nothing', [], [rule('get', "''", 'pods')], false],
  ['the same rule', [rule('get', "''", 'pods')], [rule('get', "''", 'pods')], true],
  ['a part of a rule', [rule('get list', "'' apps", 'pods jobs')], [rule('list', 'apps', 'jobs')], true],
  ['one verb more', [rule('get', "''", 'pods')], [rule('get list', "''", 'pods')], false],
  [
    'two rules together',
    [rule('get', "''", 'pods'), rule('list', "''", 'pods')],
    [rule('get list', "''", 'pods')],
    true,
  ],
  [
    'two rules that miss one combination',
    [rule('get list', "''", 'pods'), rule('get', "''", 'secrets')],
    [rule('get list', "''", 'pods secrets')],
    false,
  ],
  ['all verbs cover any', [rule('*', "''", 'pods')], [rule('get escalate', "''", 'pods')], true],
  ['many verbs are not all', [rule('get list watch create', "''", 'pods')], [rule('*', "''", 'pods')], false],
  ['all groups cover any', [rule('get', '*', 'pods')], [rule('get', "'' apps", 'pods')], true],
  ['one group is not all', [rule('get', "''", 'pods')], [rule('get', '*', 'pods')], false],
  ['all resources cover subresources', [rule('get', "''", '*')], [rule('get', "''", 'pods/log')], true],
  ['a resource does not cover its subresource', [rule('get', "''", 'pods')], [rule('get', "''", 'pods/log')], false],
  ['a subresource of anything', [rule('get', "''", '*/scale')], [rule('get', "''", 'pods/scale jobs/scale')], true],
  ['but not the other way', [rule('get', "''", 'pods/scale')], [rule('get', "''", '*/scale')], false],
  ['all names cover one', [rule('get', "''", 'pods')], [rule('get', "''", 'pods', 'a')], true],
  ['one name does not cover all', [rule('get', "''", 'pods', 'a')], [rule('get', "''", 'pods')], false],
  [
    'names from two rules',
    [rule('get', "''", 'pods', 'a'), rule('get', "''", 'pods', 'b')],
    [rule('get', "''", 'pods', 'a b')],
    true,
  ],
  ['a name too many', [rule('get', "''", 'pods', 'a')], [rule('get', "''", 'pods', 'a b')], false],
  ['a path pattern covers a path', [paths('get', '/apis/*')], [paths('get', '/apis/apps')], true],
  ['a path pattern covers a narrower pattern', [paths('get', '/apis/*')], [paths('get', '/apis/apps/*')], true],
  ['a path does not cover a pattern', [paths('get', '/apis/apps')], [paths('get', '/apis/*')], false],
  ['resources do not cover paths', [rule('*', '*', '*')], [paths('get', '/version')], false],
  ['paths do not cover resources', [paths('*', '*')], [rule('get', "''", 'pods')], false],
  [
    'all rights cover everything',
    [...allRights],
    [rule('*', '*', '*'), paths('*', '*'), rule('a', 'b', 'c/d', 'e')],
    true,
  ],
  ['a rule that grants nothing', [], [rule('get', "''", '')], true],
];

for (const [why, held, wanted, expected] of table) {
  test(`rights are ${expected ? 'covered' : 'not covered'}: ${why}`, () => {
    assert.equal(coversRules(held, wanted), expected);
  });
}

test('missing permissions are listed one by one', () => {
  const missing = missingPermissions([rule('get', "''", 'pods secrets')], [rule('get list', "''", 'pods secrets')]);
  assert.deepEqual(missing, [rule('list', "''", 'pods'), rule('list', "''", 'secrets')]);
});

test('a rule with an absurd number of combinations is rejected as a whole', () => {
  const many = Array.from({ length: 2000 }, (_, index) => `x${index}`);
  const wanted: PolicyRule = { verbs: many, apiGroups: many, resources: many };
  assert.deepEqual(missingPermissions([rule('get', "''", 'pods')], [wanted]), [wanted]);
  assert.deepEqual(missingPermissions(allRights, [wanted]), []);
});

test('who covers a rule may do all that the rule allows', () => {
  const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
  const anyRule = fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.subarray(['a', 'b']),
  });
  const anyRequest = fc.record({
    verb: fc.constantFrom('get', 'list', 'watch'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'jobs'),
    subresource: fc.constantFrom('', 'log', 'status'),
    name: fc.constantFrom('', 'a', 'b', 'c'),
  });
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 4 }), anyRule, anyRequest, (held, wanted, request) => {
      if (!coversRules(held, [wanted]) || !ruleAllows(wanted, request)) return true;
      return held.some(one => ruleAllows(one, request));
    }),
    { numRuns: 2000 },
  );
});
