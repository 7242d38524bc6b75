import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findGrantProblem } from './required-capabilities.ts';
import {
  type ClusterParts,
  type RequestParts,
  type RuleParts,
  testCluster,
  testConfig,
  testRequest,
  testView,
} from './test-scheduling.ts';

interface Case {
  readonly why: string;
  readonly cluster: ClusterParts;
  readonly rule?: RuleParts;
  readonly request?: RequestParts;
  readonly expected: string | undefined;
}

const withoutNodes: ClusterParts = { capabilities: ['API', 'Run'], runReady: 'False' };

const cases: readonly Case[] = [
  { why: 'an API is enough', cluster: {}, expected: undefined },
  {
    why: 'the purpose states Run',
    cluster: {},
    rule: { requiredCapabilities: ['Run'] },
    expected: 'CapabilityMissing',
  },
  {
    why: 'the request states Run',
    cluster: {},
    request: { requiredCapabilities: ['Run'] },
    expected: 'CapabilityMissing',
  },
  { why: 'the template got another profile since', cluster: {}, rule: { profile: 'local' }, expected: undefined },
  { why: 'Run is needed and has no node', cluster: withoutNodes, rule: { profile: 'local' }, expected: 'RunNotReady' },
  { why: 'Run is not needed and has no node', cluster: withoutNodes, expected: undefined },
];

describe('A cluster that was given', () => {
  for (const { why, cluster, rule, request, expected } of cases) {
    it(`has ${expected ?? 'no problem'}: ${why}`, () => {
      const grant = { request: testRequest(request), rule: testConfig(rule).purposes['p'], view: testView([]) };
      assert.equal(findGrantProblem(testCluster('a', cluster), grant)?.reason, expected);
    });
  }
});
