import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideRelease } from './decide-release.ts';
import { type ClusterParts, type RequestParts, testCluster, testRequest, testView } from './test-scheduling.ts';

const goes = { 'clusters.openmcp.cloud/delete-without-requests': 'true' };
const exclusive = { tenancy: 'Exclusive' } as const;

interface Case {
  readonly why: string;
  readonly cluster?: ClusterParts;
  readonly request?: RequestParts;
  readonly plan: 'delete' | 'let-go' | 'wait' | 'done';
}

const cases: readonly Case[] = [
  { why: 'nothing was given', plan: 'done' },
  { why: 'it holds a cluster that stays', cluster: { holders: ['me'] }, plan: 'let-go' },
  { why: 'the last of a cluster that goes with it', cluster: { holders: ['me'], labels: goes }, plan: 'delete' },
  { why: 'others need the cluster', cluster: { holders: ['me', 'b'], labels: goes }, plan: 'let-go' },
  { why: 'the cluster goes already', cluster: { holders: ['me'], labels: goes, isDeleting: true }, plan: 'let-go' },
  { why: 'its exclusive cluster is going', cluster: { ...exclusive, isDeleting: true }, plan: 'wait' },
  { why: 'its shared cluster is going', cluster: { isDeleting: true }, plan: 'done' },
  {
    why: 'it does not want to wait',
    cluster: { ...exclusive, isDeleting: true },
    request: { waitForClusterDeletion: false },
    plan: 'done',
  },
  {
    why: 'it wants to wait for a shared one',
    cluster: { isDeleting: true },
    request: { waitForClusterDeletion: true },
    plan: 'wait',
  },
  { why: 'its cluster stays', cluster: exclusive, plan: 'done' },
];

describe('A request that is deleted', () => {
  for (const { why, cluster, request, plan } of cases) {
    it(`${plan}: ${why}`, () => {
      const all = cluster === undefined ? [] : [testCluster('a', cluster)];
      assert.equal(decideRelease(testRequest({ given: 'a', ...request }), testView(all)).type, plan);
    });
  }
});
