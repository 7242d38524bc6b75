import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClusterProfile, clusterProfiles } from '../../kinds/cluster-profile.ts';
import type { Capability } from '../../kinds/common.ts';
import { testCluster } from '../scheduling/test-scheduling.ts';
import { clusterCapabilities, findCapabilityProblem, profileCapabilities } from './capabilities.ts';

const profile = (source: string, capabilities?: Capability[], provider = 'chandlery'): ClusterProfile =>
  clusterProfiles.object(
    { name: 'x' },
    {
      providerRef: { name: provider },
      providerConfigRef: { name: source },
      supportedVersions: [],
      ...(capabilities && { capabilities }),
    },
  );

describe('The capabilities of a profile', () => {
  const cases: readonly { why: string; profile?: ClusterProfile; name?: string; expected: Capability[] }[] = [
    { why: 'logical', profile: profile('logical'), expected: ['API'] },
    { why: 'local', profile: profile('local'), expected: ['API', 'Run'] },
    { why: 'external', profile: profile('external'), expected: ['API', 'Run'] },
    { why: 'external, declared API alone', profile: profile('external', ['API']), expected: ['API'] },
    { why: 'of another provider', profile: profile('logical', undefined, 'theirs'), expected: ['API', 'Run'] },
    { why: 'of another provider, declared', profile: profile('kcp', ['API'], 'theirs'), expected: ['API'] },
    { why: 'missing, with the name of a source', name: 'logical', expected: ['API'] },
    { why: 'missing, with any name', name: 'x', expected: ['API', 'Run'] },
  ];
  for (const { why, profile: found, name = 'x', expected } of cases) {
    it(`are ${expected.join(' and ')}: ${why}`, () => assert.deepEqual(profileCapabilities(name, found), expected));
  }

  it('give way to what a cluster states', () => {
    const stated = testCluster('a', { capabilities: ['API', 'Run'] });
    assert.deepEqual(clusterCapabilities(stated, profile('logical')), ['API', 'Run']);
    assert.deepEqual(clusterCapabilities(testCluster('a'), profile('local')), ['API', 'Run']);
  });
});

describe('A profile of ours', () => {
  const cases: readonly { source: string; declared?: Capability[]; problem?: RegExp }[] = [
    { source: 'logical' },
    { source: 'logical', declared: ['API'] },
    { source: 'logical', declared: ['API', 'Run'], problem: /"x" declares API and Run, .* "logical" have API alone;/ },
    { source: 'local', declared: ['Run', 'API'] },
    { source: 'local', declared: ['API'], problem: /"x" declares API alone, .* "local" have API and Run;/ },
    { source: 'external', declared: ['API'] },
    { source: 'external', declared: ['API', 'Run'] },
    { source: 'unknown', declared: ['API'] },
  ];
  for (const { source, declared, problem } of cases) {
    it(`${problem ? 'may not' : 'may'} declare ${declared?.join(', ') ?? 'nothing'} of ${source}`, () => {
      const found = findCapabilityProblem(profile(source, declared));
      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', problem);
    });
  }
});
