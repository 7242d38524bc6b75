import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleConfiguration } from './configuration/test-document.ts';
import { type PlacementCluster, type PlacementRequest, placeInstance } from './placement.ts';

const now = new Date('2030-01-01T01:00:00Z');

const request: PlacementRequest = {
  cloudProvider: 'aws',
  region: 'eu-central-1',
  multiAz: true,
  instanceType: 'standard',
  units: 1,
  excludedClusters: [],
};

interface ClusterChanges {
  readonly createdAt?: string;
  readonly isDeleting?: boolean;
  readonly spec?: Partial<PlacementCluster['spec']>;
  readonly status?: PlacementCluster['status'];
}

const cluster = (clusterId: string, { spec, status, ...changes }: ClusterChanges = {}): PlacementCluster => ({
  id: `dinosaurs.${clusterId}`,
  createdAt: '2030-01-01T00:00:00.000000Z',
  isDeleting: false,
  ...changes,
  spec: {
    product: 'dinosaurs',
    clusterId,
    cloudProvider: 'aws',
    region: 'eu-central-1',
    multiAz: true,
    schedulable: true,
    instanceLimit: -1,
    providerType: 'standalone',
    origin: 'manual',
    ...spec,
  },
  status: { state: 'ready', ...status },
});

const contextOf = (mode: 'manual' | 'auto' | 'none' = 'manual', used: Readonly<Record<string, number>> = {}) => ({
  configuration: exampleConfiguration({ settings: { dataplane_cluster_scaling_type: mode } }),
  usage: { used: (scope: string) => used[scope] ?? 0 },
  now,
});

const full = { 'cluster/dinosaurs/c': 5 };

const unsuitable: readonly { why: string; changes: ClusterChanges; used?: Record<string, number>; reason: RegExp }[] = [
  {
    why: 'another region',
    changes: { spec: { region: 'eu-north-1' } },
    reason: /^it is in region eu-north-1 of aws, not in eu-central-1 of aws$/,
  },
  { why: 'another provider', changes: { spec: { cloudProvider: 'gcp' } }, reason: /of gcp/ },
  {
    why: 'not ready, and the agent says why',
    changes: { status: { state: 'waiting_for_fleetshard_operator', agentMessage: 'no program' } },
    reason: /^its state is waiting_for_fleetshard_operator, not ready; its agent reports: no program$/,
  },
  {
    why: 'not ready',
    changes: { status: { state: 'cluster_provisioning' } },
    reason: /^its state is cluster_provisioning, not ready$/,
  },
  { why: 'being deleted', changes: { isDeleting: true }, reason: /^it is being deleted$/ },
  { why: 'draining', changes: { status: { draining: true } }, reason: /^it is being drained$/ },
  { why: 'not schedulable', changes: { spec: { schedulable: false } }, reason: /^it is not schedulable$/ },
  { why: 'one zone', changes: { spec: { multiAz: false } }, reason: /^it is not spread over several zones$/ },
  {
    why: 'another type',
    changes: { spec: { supportedInstanceTypes: ['eval'] } },
    reason: /^it does not support instance type standard$/,
  },
  {
    why: 'dropped from the document',
    changes: { spec: { origin: 'document' } },
    reason: /^it is no longer configured$/,
  },
  { why: 'silent agent', changes: { status: { lastSeenAt: '2030-01-01T00:58:29Z' } }, reason: /^its agent is silent$/ },
  {
    why: 'full',
    changes: { spec: { instanceLimit: 5 } },
    used: full,
    reason: /^it is full: 5 of 5 capacity units are used and 1 more are needed$/,
  },
];

for (const { why, changes, used, reason } of unsuitable)
  test(`a cluster is passed over: ${why}`, () => {
    const placement = placeInstance(request, [cluster('c', changes)], contextOf('manual', used));
    assert.equal(placement.cluster, undefined);
    assert.equal(placement.passedOver[0]?.clusterId, 'c');
    assert.match(placement.passedOver[0]?.reason ?? '', reason);
  });

const suitable: readonly {
  why: string;
  changes: ClusterChanges;
  used?: Record<string, number>;
  asked?: Partial<PlacementRequest>;
}[] = [
  { why: 'no contact with an agent yet', changes: {} },
  { why: 'the agent spoke 90 s ago', changes: { status: { lastSeenAt: '2030-01-01T00:58:30Z' } } },
  { why: 'no limit', changes: {}, used: full },
  { why: 'the last unit', changes: { spec: { instanceLimit: 6 } }, used: full },
  { why: 'one zone is enough', changes: { spec: { multiAz: false } }, asked: { multiAz: false } },
  { why: 'several zones where one is enough', changes: {}, asked: { multiAz: false } },
  { why: 'of the document', changes: { spec: { origin: 'document', clusterId: 'frankfurt-1' } } },
];

for (const { why, changes, used, asked } of suitable)
  test(`a cluster is taken: ${why}`, () => {
    assert.ok(placeInstance({ ...request, ...asked }, [cluster('c', changes)], contextOf('manual', used)).cluster);
  });

const late = cluster('late', { createdAt: '2030-01-01T00:00:02.000000Z', spec: { order: 0 } });
const early = cluster('early', { createdAt: '2030-01-01T00:00:01.000000Z', spec: { order: 1 } });
const added = cluster('added', { createdAt: '2030-01-01T00:00:00.000000Z' });

const orders: readonly { mode: 'manual' | 'auto' | 'none'; expected: string; excluded?: string[] }[] = [
  { mode: 'manual', expected: 'late' },
  { mode: 'auto', expected: 'added' },
  { mode: 'none', expected: 'added' },
  { mode: 'manual', expected: 'early', excluded: ['late'] },
  { mode: 'manual', expected: 'late', excluded: ['late', 'early', 'added'] },
];

for (const { mode, expected, excluded = [] } of orders)
  test(`mode ${mode} takes ${expected} first, when ${excluded.join(' and ') || 'none'} reported to be full`, () => {
    const placement = placeInstance({ ...request, excludedClusters: excluded }, [early, added, late], contextOf(mode));
    assert.equal(placement.cluster?.spec.clusterId, expected);
  });

test('what an agent reports limits a cluster in mode auto alone', () => {
  const reporting = cluster('c', { status: { capacity: { standard: { maxUnits: 2, remainingUnits: 0 } } } });
  const used = { 'cluster/dinosaurs/c/standard': 2 };
  assert.equal(placeInstance(request, [reporting], contextOf('auto', used)).cluster, undefined);
  assert.ok(placeInstance(request, [reporting], contextOf('manual', used)).cluster);
  const placement = placeInstance(request, [reporting], contextOf('auto'));
  assert.deepEqual(placement.cluster && placement.demands, [
    { scope: 'cluster/dinosaurs/c/standard', units: 1, limit: 2 },
  ]);
});

test('clusters before the one that is taken have a reason', () => {
  const placement = placeInstance(
    request,
    [late, cluster('first', { spec: { order: -1, instanceLimit: 0 } })],
    contextOf(),
  );
  assert.equal(placement.cluster?.spec.clusterId, 'late');
  assert.deepEqual(
    placement.passedOver.map(({ clusterId }) => clusterId),
    ['first'],
  );
});
