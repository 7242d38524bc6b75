import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KubeObject, matchesLabels, parseLabelSelector } from '@chandlery/api';
import { hash8, tenantNamespace } from '@chandlery/clusters/kinds';
import { instanceIdOf } from '../model/names.ts';
import { ClusterObjects } from './cluster-objects.ts';
import { exploreTrace, type TraceSource } from './explore-trace.ts';
import type { Landscape, Placed } from './links.ts';
import type { ObjectLookup } from './object-lookup.ts';
import { renderTrace } from './render-trace.ts';
import { findRoot, traceObject } from './trace-object.ts';

let count = 0;
const object = (apiVersion: string, kind: string, name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, uid: `uid-${++count}`, ...more.metadata },
});
const ownedBy = (...owners: readonly KubeObject[]) =>
  owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
  }));

const group = 'foo.services.open-control-plane.io';
const brokers = 'brokers.chandlery.io/v1alpha1';
const labelsFor = (instance: string) => ({ 'openmcp.cloud/managed-by': 'foo', 'sdk.chandlery.io/instance': instance });
const keptFor = (namespace: string, name: string) => ({
  labels: labelsFor(instanceIdOf({ namespace, name })),
  annotations: { 'sdk.chandlery.io/object': `${namespace}/${name}` },
});

/** Two tenants, what a provider, the brokers and the fleet made for them, and much else. */
function landscape(): Landscape {
  const home = tenantNamespace('shop', 'a');
  const service = (namespace: string) =>
    object(`${group}/v1`, 'Foo', 'a', { metadata: { namespace, finalizers: [`${group}/finalizer`] } });
  const plane = object('core.open-control-plane.io/v2alpha1', 'ControlPlane', 'a', { metadata: { namespace: 'shop' } });
  const instance = object(brokers, 'ServiceInstance', 'id-1', {
    metadata: { namespace: 'shop' },
    status: { planId: 'plan-1' },
  });
  const reference = object(brokers, 'ServiceInstance', 'id-2', {
    metadata: { namespace: 'shop' },
    spec: { referencedInstanceId: 'id-1' },
  });
  const offered = { metadata: { namespace: 'service-manager' } };
  const plan = object(brokers, 'ServicePlan', 'plan-1', { ...offered, spec: { offeringId: 'offering-1' } });
  const offering = object(brokers, 'ServiceOffering', 'offering-1', { ...offered, spec: { name: 'foxes' } });
  const ordered = object('orders.chandlery.io/v1alpha1', 'Order', 'o-1', {
    metadata: { namespace: 'shop' },
    spec: { instance: 'id-1' },
  });
  const request = (namespace: string, name: string) =>
    object('clusters.openmcp.cloud/v1alpha1', 'ClusterRequest', 'a', {
      metadata: { namespace },
      status: { cluster: { name, namespace: 'sys' } },
    });
  const cluster = (name: string) =>
    object('clusters.openmcp.cloud/v1alpha1', 'Cluster', name, { metadata: { namespace: 'sys' } });
  const config = object(`${group}/v1`, 'ProviderConfig', 'foo', { metadata: { finalizers: [`${group}/in-use`] } });
  const deployment = object('apps/v1', 'Deployment', 'foo', {
    metadata: { namespace: 'foo-1', ...keptFor('shop', 'a') },
  });
  const replicas = object('apps/v1', 'ReplicaSet', 'foo-1', {
    metadata: { namespace: 'foo-1', ownerReferences: ownedBy(deployment) },
  });
  const pods = [1, 2, 3].map(at =>
    object('v1', 'Pod', `foo-1-${at}`, { metadata: { namespace: 'foo-1', ownerReferences: ownedBy(replicas) } }),
  );
  const shared = object('v1', 'ConfigMap', 'for-two', {
    metadata: {
      labels: { 'openmcp.cloud/managed-by': 'foo' },
      annotations: { 'user.sdk.chandlery.io/x': 'shop/a', 'user.sdk.chandlery.io/y': 'other/a' },
    },
  });
  const forAll = object('apps/v1', 'Deployment', 'server', {
    metadata: {
      namespace: 'foo',
      labels: labelsFor(hash8('~shared/foo')),
      annotations: { 'sdk.chandlery.io/object': '~shared/foo' },
    },
  });
  const fleet = object('fleet.chandlery.io/v1alpha1', 'FleetInstance', 'id-1', {
    metadata: { namespace: 'fleet' },
    spec: { instance: 'id-1', product: 'dinosaurs' },
    status: { clusterId: 'eu-1' },
  });
  const runsOn = object('fleet.chandlery.io/v1alpha1', 'FleetCluster', 'dinosaurs.eu-1');
  const agent = object('apps/v1', 'Deployment', 'agent', {
    metadata: { namespace: 'fleet-agents', labels: { 'fleet.chandlery.io/cluster': 'dinosaurs.eu-1' } },
  });
  const ofFleet = object('v1', 'Namespace', 'dinosaur', {
    metadata: { labels: { 'fleet.chandlery.io/instance': 'id-1' } },
  });
  const bulk = Array.from({ length: 300 }, (_, at) =>
    object('v1', 'ConfigMap', `bulk-${at}`, { metadata: { namespace: 'bulk', labels: { app: `app-${at % 7}` } } }),
  );
  return new Map([
    [
      'onboarding',
      new ClusterObjects([
        ...[plane, service('shop'), service('other'), instance, reference, plan, offering, ordered, fleet, runsOn],
        ...bulk,
      ]),
    ],
    [
      'platform',
      new ClusterObjects([
        request(home, 'mcp-x'),
        request('providers', 'workload'),
        request(tenantNamespace('other', 'a'), 'mcp-y'),
        ...['mcp-x', 'mcp-y', 'workload'].map(cluster),
        config,
        agent,
        ...bulk,
      ]),
    ],
    ['workload', new ClusterObjects([deployment, replicas, ...pods, shared, forAll, ofFleet, ...bulk])],
    ['mcp-x', new ClusterObjects([object('v1', 'Secret', 'token', { metadata: keptFor('shop', 'a') }), ...bulk])],
    ['mcp-y', new ClusterObjects([object('v1', 'Secret', 'token', { metadata: keptFor('other', 'a') })])],
  ]);
}

/** A project with a workspace, a control plane in it, and a service that is on the cluster of that. */
function tenantLandscape(): Landscape {
  const core = 'core.openmcp.cloud/v1alpha1';
  const [top, inner] = ['project-acme', 'project-acme--ws-dev'];
  const project = object(core, 'Project', 'acme', { status: { namespace: top, cluster: { name: 'acme' } } });
  const workspace = object(core, 'Workspace', 'dev', { metadata: { namespace: top }, status: { namespace: inner } });
  const plane = object('core.open-control-plane.io/v2alpha1', 'ControlPlane', 'web', {
    metadata: { namespace: inner },
    status: { services: [{ apiVersion: `${group}/v1`, kind: 'Foo', name: 'web' }] },
  });
  const service = object(`${group}/v1`, 'Foo', 'web', {
    metadata: { namespace: inner, finalizers: [`${group}/finalizer`] },
  });
  const request = object('clusters.openmcp.cloud/v1alpha1', 'ClusterRequest', 'web', {
    metadata: { namespace: tenantNamespace(inner, 'web') },
    status: { cluster: { name: 'mcp-x', namespace: 'sys' } },
  });
  const others = object('clusters.openmcp.cloud/v1alpha1', 'ClusterRequest', 'web', {
    metadata: { namespace: tenantNamespace('other', 'web') },
    status: { cluster: { name: 'mcp-y', namespace: 'sys' } },
  });
  const cluster = (name: string) =>
    object('clusters.openmcp.cloud/v1alpha1', 'Cluster', name, { metadata: { namespace: 'sys' } });
  const logical = ['acme', 'mcp-x', 'mcp-y'].map(name => object('core.chandlery.io/v1alpha1', 'LogicalCluster', name));
  const spaces = [top, inner, 'other'].map(name => object('v1', 'Namespace', name));
  const settings = object('v1', 'ConfigMap', 'settings', { metadata: { namespace: inner } });
  return new Map([
    ['onboarding', new ClusterObjects([project, workspace, plane, service, settings, ...spaces])],
    ['platform', new ClusterObjects([request, others, cluster('mcp-x'), cluster('mcp-y'), ...logical])],
    ['mcp-x', new ClusterObjects([object('v1', 'Secret', 'token', { metadata: keptFor(inner, 'web') })])],
    ['mcp-y', new ClusterObjects([object('v1', 'Secret', 'token', { metadata: keptFor('other', 'web') })])],
  ]);
}

/** A landscape that answers lookups as the server does. */
function sourceOf(all: Landscape, { hidden = [] as readonly string[] } = {}) {
  const asked: string[] = [];
  let found = 0;
  const matches = (candidate: KubeObject, lookup: ObjectLookup): boolean => {
    const { namespace, name, labels = {}, ownerReferences = [] } = candidate.metadata;
    const itsGroup = candidate.apiVersion.includes('/') ? candidate.apiVersion.split('/')[0] : '';
    return (
      ownerReferences.some(({ uid }) => lookup.owners?.includes(uid)) ||
      (lookup.labelSelectors ?? []).some(text => matchesLabels(parseLabelSelector(text), labels)) ||
      (namespace !== undefined && (lookup.namespaces ?? []).includes(namespace)) ||
      (namespace === undefined && (lookup.groups ?? []).includes(itsGroup ?? '')) ||
      (lookup.objects ?? []).some(
        wanted =>
          wanted.group === itsGroup &&
          wanted.kind === candidate.kind &&
          wanted.name === name &&
          (wanted.namespace ?? '') === (namespace ?? ''),
      )
    );
  };
  const source: TraceSource = {
    lookUp: async (name, lookup) => {
      asked.push(name);
      if (hidden.includes(name)) return undefined;
      const objects = (all.get(name)?.all ?? []).filter(candidate => matches(candidate, lookup));
      found += objects.length;
      return { objects: structuredClone(objects) };
    },
    listPlatform: async plural =>
      hidden.includes('platform')
        ? []
        : (all.get('platform')?.all ?? []).filter(({ kind }) => `${kind.toLowerCase()}s` === plural),
  };
  return { source, asked, found: () => found };
}

const roots: readonly Placed['object']['kind'][] = [
  'Foo',
  'ControlPlane',
  'ServiceInstance',
  'FleetInstance',
  'Deployment',
];

describe('An explored trace', () => {
  for (const kind of roots)
    it(`of a ${kind} is that of the whole landscape, from a part of it`, async () => {
      const all = landscape();
      const target = { kind, name: { ServiceInstance: 'id-1', FleetInstance: 'id-1', Deployment: 'foo' }[kind] ?? 'a' };
      const place = kind === 'Foo' ? { namespace: 'shop' } : {};
      const root = findRoot({ ...target, ...place }, all);
      const { source, found } = sourceOf(all);
      const { landscape: part, hidden } = await exploreTrace(root, source);
      assert.equal(renderTrace(traceObject(root, part)), renderTrace(traceObject(root, all)));
      assert.deepEqual(hidden, []);
      assert.ok(found() < 40, `${found()} objects were read`);
    });

  it('leads from a project to its workspaces, their control planes and services, and the logical clusters', async () => {
    const all = tenantLandscape();
    const root = findRoot({ kind: 'project', name: 'acme' }, all);
    const { source, asked } = sourceOf(all);
    const { landscape: part, clusters } = await exploreTrace(root, source);
    assert.deepEqual(
      renderTrace(traceObject(root, part))
        .split('\n')
        .map(line => line.replace(/ +· +/, ' ').replace(/mcp--[-0-9a-f]+/, 'mcp--id')),
      [
        'Project/acme onboarding',
        '├─ Namespace/project-acme onboarding',
        '├─ Workspace/dev (project-acme) onboarding',
        '│  ├─ ControlPlane/web (project-acme--ws-dev) onboarding',
        '│  │  ├─ Foo/web (project-acme--ws-dev) onboarding',
        '│  │  │  └─ Secret/token mcp-x',
        '│  │  └─ ClusterRequest/web (mcp--id) platform',
        '│  │     └─ Cluster/mcp-x (sys) platform',
        '│  │        └─ LogicalCluster/mcp-x platform',
        '│  ├─ Foo/web (project-acme--ws-dev) onboarding',
        '│  └─ Namespace/project-acme--ws-dev onboarding',
        '└─ LogicalCluster/acme platform',
      ],
    );
    assert.deepEqual([clusters.map(({ metadata }) => metadata.name), asked.includes('mcp-y')], [['mcp-x'], false]);
    assert.equal(renderTrace(traceObject(root, part)), renderTrace(traceObject(root, all)));
  });

  it('of a project leads those who may not read the platform to what is theirs', async () => {
    const all = tenantLandscape();
    const root = findRoot({ kind: 'workspace', name: 'dev' }, all);
    const { landscape: part, hidden } = await exploreTrace(root, sourceOf(all, { hidden: ['platform'] }).source);
    const kinds = traceObject(root, part).children.map(({ kind }) => kind);
    assert.deepEqual([kinds, hidden], [['ControlPlane', 'Foo', 'Namespace'], ['platform']]);
  });

  it('leads from an instance to what is offered, and to the cluster that it is on, with its agent', () => {
    const all = landscape();
    const lines = renderTrace(traceObject(findRoot({ kind: 'ServiceInstance', name: 'id-1' }, all), all)).split('\n');
    assert.deepEqual(
      lines.map(line => line.replace(/ +· +/, ' ')),
      [
        'ServiceInstance/id-1 (shop) onboarding',
        '├─ FleetInstance/id-1 (fleet) onboarding',
        '│  ├─ FleetCluster/dinosaurs.eu-1 onboarding',
        '│  │  └─ Deployment/agent (fleet-agents) platform',
        '│  └─ Namespace/dinosaur workload',
        '├─ Order/o-1 (shop) onboarding',
        '└─ ServicePlan/plan-1 (service-manager) onboarding',
        '   └─ ServiceOffering/offering-1 "foxes" (service-manager) onboarding',
      ],
    );
  });

  it('leads from a reference to the shared instance, and to what is behind that', () => {
    const all = landscape();
    const root = findRoot({ kind: 'ServiceInstance', name: 'id-2' }, all);
    const [shared] = traceObject(root, all).children;
    assert.deepEqual(
      [shared?.name, shared?.children.map(({ kind }) => kind)],
      ['id-1', ['FleetInstance', 'Order', 'ServicePlan']],
    );
  });

  it('leads to other clusters only where the object does', async () => {
    const all = landscape();
    const { source, asked } = sourceOf(all);
    await exploreTrace(findRoot({ kind: 'Deployment', name: 'foo' }, all), source);
    assert.deepEqual([...new Set(asked)], ['workload']);
    assert.equal(asked.length, 3, 'one lookup for each level, and one that finds nothing');
  });

  it('never asks clusters of other tenants, and says which ones are hidden', async () => {
    const all = landscape();
    const { source, asked } = sourceOf(all, { hidden: ['workload'] });
    const root = findRoot({ kind: 'Foo', name: 'a', namespace: 'shop' }, all);
    const { landscape: part, hidden } = await exploreTrace(root, source);
    assert.deepEqual(hidden, ['workload']);
    assert.ok(!asked.includes('mcp-y'));
    assert.deepEqual(
      traceObject(root, part).children.map(({ kind, cluster }) => `${kind} ${cluster}`),
      ['Secret mcp-x'],
    );
  });
});
