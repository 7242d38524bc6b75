import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setCondition } from '@chandlery/runtime';
import { clusterProfiles } from '../../kinds/cluster-profile.ts';
import { testCluster } from '../scheduling/test-scheduling.ts';
import { clusterPhase } from './cluster-phase.ts';
import { findVersionProblem } from './supported-version.ts';

const now = new Date('2030-01-01T00:00:00Z');

describe('The phase of a cluster', () => {
  const cases: readonly {
    why: string;
    conditions: Record<string, 'True' | 'False'>;
    isDeleting?: boolean;
    phase: string;
  }[] = [
    { why: 'nothing is known', conditions: {}, phase: 'Progressing' },
    { why: 'all is well', conditions: { Ready: 'True', Other: 'True' }, phase: 'Ready' },
    { why: 'one thing is not', conditions: { Ready: 'True', Other: 'False' }, phase: 'Progressing' },
    { why: 'the last pass failed', conditions: { Ready: 'True', Synced: 'False' }, phase: 'Ready' },
    { why: 'it is being deleted', conditions: { Ready: 'True' }, isDeleting: true, phase: 'Terminating' },
  ];
  for (const { why, conditions, isDeleting = false, phase } of cases) {
    it(`is ${phase} when ${why}`, () => {
      const cluster = testCluster('a', { isDeleting });
      for (const [type, status] of Object.entries(conditions)) {
        setCondition(cluster, { type, status, reason: 'Test' }, now);
      }
      assert.equal(clusterPhase(cluster), phase);
    });
  }
});

describe('The version of a cluster', () => {
  const cases: readonly { wanted?: string; supported: string[]; isFine: boolean }[] = [
    { supported: ['1.33.1'], isFine: true },
    { wanted: '1.33.1', supported: ['1.33.1'], isFine: true },
    { wanted: 'v1.33.1', supported: ['1.33.1'], isFine: true },
    { wanted: '1.33', supported: ['v1.33.1'], isFine: true },
    { wanted: '1.3', supported: ['1.33.1'], isFine: false },
    { wanted: '1.30.0', supported: ['1.33.1', '1.32.0'], isFine: false },
    { wanted: '1.30.0', supported: [], isFine: true },
  ];
  for (const { wanted, supported, isFine } of cases) {
    it(`${isFine ? 'may' : 'may not'} be ${wanted ?? 'left open'} of ${supported.join(', ') || 'any'}`, () => {
      const cluster = testCluster('a');
      if (wanted !== undefined) cluster.spec.kubernetes = { version: wanted };
      const supportedVersions = supported.map(version => ({ version }));
      const profile = clusterProfiles.object(
        { name: 'x' },
        { providerRef: { name: 'p' }, providerConfigRef: { name: 'c' }, supportedVersions },
      );
      assert.equal(findVersionProblem(cluster, profile) === undefined, isFine);
    });
  }

  it('must be one of the supported ones', () => {
    const cluster = testCluster('a');
    cluster.spec.kubernetes = { version: '1.1.1' };
    const supportedVersions = ['1.33.1', '1.32.0'].map(version => ({ version }));
    const refs = { providerRef: { name: 'p' }, providerConfigRef: { name: 'c' } };
    const profile = clusterProfiles.object({ name: 'x' }, { ...refs, supportedVersions });
    assert.match(findVersionProblem(cluster, profile) ?? '', /one of: 1\.32\.0, 1\.33\.1\./);
  });
});
