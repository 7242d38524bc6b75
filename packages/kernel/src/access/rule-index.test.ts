import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type PolicyRule, type RequestAttributes, ruleAllows } from './rbac.ts';
import { rulesAllow } from './rule-index.ts';

const some = (...words: string[]) => fc.subarray(words);
const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', 'jobs', '*', '*/log', 'pods/*'),
    resourceNames: some('a', 'b'),
  }),
  fc.record({ verbs: some('get', '*'), nonResourceURLs: some('/version', '/api*', '*') }),
);
const request: fc.Arbitrary<RequestAttributes> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('get', 'list', 'create'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'jobs', 'secrets'),
    subresource: fc.constantFrom('', 'log', 'status'),
    name: fc.constantFrom('', 'a', 'c'),
  }),
  fc.record({ verb: fc.constantFrom('get', 'post'), path: fc.constantFrom('/version', '/apis', '/healthz') }),
);

describe('many rules', () => {
  it('allow what one of them allows, whether they are indexed or not', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 40 }), request, (rules, attributes) => {
        assert.equal(
          rulesAllow(rules, attributes),
          rules.some(one => ruleAllows(one, attributes)),
        );
      }),
      { numRuns: 500 },
    );
  });
});
