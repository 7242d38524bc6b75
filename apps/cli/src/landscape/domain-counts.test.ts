import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { ServedKind } from '../resources/discover.ts';
import { problemOf } from './domain-counts.ts';

const kind: ServedKind = {
  kind: 'Cluster',
  ref: { group: 'clusters.openmcp.cloud', version: 'v1alpha1', plural: 'clusters' },
  isNamespaced: true,
  verbs: ['list'],
  otherNames: [],
};

const cluster = (name: string, status: string, reason: string): KubeObject => ({
  apiVersion: 'clusters.openmcp.cloud/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace: 'openmcp-system' },
  status: { conditions: [{ type: 'Ready', status, reason, lastTransitionTime: '2030-01-01T00:00:00Z' }] },
});

const cases = [
  { why: 'one that is ready', object: cluster('far', 'True', 'Available'), problem: undefined },
  {
    why: 'one that is not ready',
    object: cluster('far', 'False', 'NoNode'),
    problem: 'cluster/far (openmcp-system): NoNode',
  },
  {
    why: 'the cluster of a landscape without local clusters, which is meant to have no node',
    object: cluster('platform', 'False', 'NoNode'),
    problem: undefined,
  },
  {
    why: 'the same with another problem',
    object: cluster('platform', 'False', 'Damaged'),
    problem: 'cluster/platform (openmcp-system): Damaged',
  },
];
for (const { why, object, problem } of cases)
  test(`status counts ${why}`, () => assert.equal(problemOf(kind, object), problem));
