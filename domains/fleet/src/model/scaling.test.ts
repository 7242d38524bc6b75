import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleConfiguration } from './configuration/test-document.ts';
import type { PlacementCluster } from './placement.ts';
import { decideScaleDown, decideScaleUp } from './scaling.ts';

const auto = { dataplane_cluster_scaling_type: 'auto', enable_dynamic_scale_up: true, enable_dynamic_scale_down: true };
const regions = (limits: object) => [
  {
    name: 'aws',
    default: true,
    regions: [{ name: 'north', default: true, supported_instance_type: { standard: limits } }],
  },
];
const configured = (limits: object = {}, settings: object = {}) =>
  exampleConfiguration({ settings: { ...auto, ...settings }, clusters: [], supported_providers: regions(limits) });

const key = { cloudProvider: 'aws', region: 'north', instanceType: 'standard' };
const cluster = (clusterId: string, status: object = {}, spec: object = {}): PlacementCluster => ({
  id: `dinosaurs.${clusterId}`,
  createdAt: '2026-01-01T00:00:00Z',
  isDeleting: false,
  spec: {
    product: 'dinosaurs',
    clusterId,
    cloudProvider: 'aws',
    region: 'north',
    schedulable: true,
    instanceLimit: 5,
    providerType: 'landscape',
    origin: 'scaling',
    supportedInstanceTypes: ['standard'],
    ...spec,
  },
  status: { state: 'ready', ...status },
});
const usage = (used: Readonly<Record<string, number>> = {}) => ({ used: (scope: string) => used[scope] ?? 0 });

interface Case {
  why: string;
  limits?: object;
  settings?: object;
  clusters?: readonly PlacementCluster[];
  used?: Readonly<Record<string, number>>;
  isWaiting?: boolean;
}

const up: readonly (Case & { add: boolean })[] = [
  { why: 'an instance waits in a region without clusters', isWaiting: true, add: true },
  { why: 'nobody has asked for the region', add: false },
  {
    why: 'slack is asked for in an empty region',
    limits: { limit: 10, min_available_capacity_slack_streaming_units: 2 },
    add: true,
  },
  { why: 'another mode', settings: { dataplane_cluster_scaling_type: 'none' }, isWaiting: true, add: false },
  { why: 'the biggest size fits', clusters: [cluster('a')], used: { 'cluster/dinosaurs/a': 3 }, add: false },
  { why: 'the biggest size does not fit', clusters: [cluster('a')], used: { 'cluster/dinosaurs/a': 4 }, add: true },
  {
    why: 'scale-up is off',
    settings: { enable_dynamic_scale_up: false },
    clusters: [cluster('a')],
    used: { 'cluster/dinosaurs/a': 5 },
    add: false,
  },
  {
    why: 'scale-up is off, but there is no cluster at all',
    settings: { enable_dynamic_scale_up: false },
    isWaiting: true,
    add: true,
  },
  {
    why: 'one is being made',
    clusters: [cluster('a', { state: 'cluster_provisioning' })],
    isWaiting: true,
    add: false,
  },
  {
    why: 'too many have failed',
    clusters: ['a', 'b', 'c'].map(id => cluster(id, { state: 'failed' })),
    isWaiting: true,
    add: false,
  },
  { why: 'one has failed', clusters: [cluster('a', { state: 'failed' })], isWaiting: true, add: true },
  {
    why: 'the region is full',
    limits: { limit: 5 },
    clusters: [cluster('a')],
    used: { 'cluster/dinosaurs/a': 5, 'region/dinosaurs/aws/north/standard': 5 },
    add: false,
  },
  {
    why: 'the last unit of the region waits for a cluster',
    limits: { limit: 1 },
    used: { 'region/dinosaurs/aws/north/standard': 1 },
    isWaiting: true,
    add: true,
  },
  { why: 'a closed region', limits: { limit: 0 }, isWaiting: true, add: false },
  {
    why: 'less than the slack is free',
    limits: { limit: 20, min_available_capacity_slack_streaming_units: 4 },
    clusters: [cluster('a')],
    used: { 'cluster/dinosaurs/a': 2 },
    add: true,
  },
  {
    why: 'the slack is free',
    limits: { limit: 20, min_available_capacity_slack_streaming_units: 4 },
    clusters: [cluster('a'), cluster('b')],
    used: { 'cluster/dinosaurs/a': 4 },
    add: false,
  },
  {
    why: 'the agent reports less than the limit',
    clusters: [cluster('a', { capacity: { standard: { maxUnits: 1 } } })],
    add: true,
  },
  {
    why: 'a cluster of another type',
    clusters: [cluster('a', {}, { supportedInstanceTypes: ['eval'] })],
    isWaiting: true,
    add: true,
  },
  {
    why: 'an unlimited cluster',
    clusters: [cluster('a', {}, { instanceLimit: -1 })],
    used: { 'cluster/dinosaurs/a': 99 },
    add: false,
  },
];

for (const { why, limits, settings, clusters = [], used, isWaiting = false, add } of up)
  test(`scale-up: ${why}`, () => {
    const decision = decideScaleUp(key, {
      configuration: configured(limits, settings),
      clusters,
      usage: usage(used),
      isWaiting,
    });
    assert.equal(decision.add, add, decision.why);
  });

const [a, b] = [cluster('a'), cluster('b')];
const down: readonly (Case & { remove: boolean; of?: PlacementCluster })[] = [
  { why: 'another one has room', clusters: [a, b], remove: true },
  { why: 'it is the last one', clusters: [a], remove: false },
  { why: 'it is not empty', clusters: [a, b], used: { 'cluster/dinosaurs/a': 1 }, remove: false },
  { why: 'the other one is full', clusters: [a, b], used: { 'cluster/dinosaurs/b': 5 }, remove: false },
  { why: 'the other one is being made', clusters: [a, cluster('b', { state: 'cluster_provisioning' })], remove: false },
  {
    why: 'slack needs both',
    limits: { limit: 20, min_available_capacity_slack_streaming_units: 6 },
    clusters: [a, b],
    remove: false,
  },
  { why: 'scale-down is off', settings: { enable_dynamic_scale_down: false }, clusters: [a, b], remove: false },
  {
    why: 'its region is no longer configured',
    of: cluster('a', {}, { region: 'gone' }),
    settings: { enable_dynamic_scale_down: false },
    remove: true,
  },
  { why: 'its type is no longer configured', of: cluster('a', {}, { supportedInstanceTypes: ['eval'] }), remove: true },
  { why: 'the document has it', of: cluster('a', {}, { origin: 'document', region: 'gone' }), remove: false },
  { why: 'it is not ready', of: cluster('a', { state: 'deprovisioning' }), clusters: [b], remove: false },
];

for (const { why, limits, settings, clusters = [], used, of = a, remove } of down)
  test(`scale-down: ${why}`, () => {
    const context = { configuration: configured(limits, settings), clusters, usage: usage(used), isWaiting: false };
    const decision = decideScaleDown(of, context);
    assert.equal(decision.remove, remove, decision.why);
  });
