import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import { ClusterObjects } from './cluster-objects.ts';
import type { Landscape } from './links.ts';
import { meshesOf } from './mesh-objects.ts';
import { renderDot, renderTrace } from './render-trace.ts';
import { problemsOf, type TraceNode } from './trace-node.ts';
import { findRoot, traceObject } from './trace-object.ts';

let count = 0;
const object = (apiVersion: string, kind: string, name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, uid: `uid-${++count}`, ...more.metadata },
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const ownedBy = ({ apiVersion, kind, metadata }: KubeObject) => [
  { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' },
];
const mark = (manager: string) => ({
  labels: { 'openmcp.cloud/managed-by': manager },
  annotations: { 'sdk.chandlery.io/object': 'shop/a' },
});

function landscape(): Landscape {
  const home = tenantNamespace('shop', 'a');
  const plane = object('core.open-control-plane.io/v2alpha1', 'ControlPlane', 'a', {
    metadata: { namespace: 'shop' },
    status: ready,
  });
  const service = object('foo.services.open-control-plane.io/v1', 'Foo', 'a', {
    metadata: { namespace: 'shop' },
    status: ready,
  });
  const request = object('clusters.openmcp.cloud/v1alpha1', 'ClusterRequest', 'a', {
    metadata: { namespace: home },
    status: { phase: 'Granted', cluster: { name: 'mcp-x', namespace: 'sys' } },
  });
  const cluster = object('clusters.openmcp.cloud/v1alpha1', 'Cluster', 'mcp-x', {
    metadata: { namespace: 'sys' },
    status: ready,
  });
  const deployment = object('apps/v1', 'Deployment', 'foo', {
    metadata: { namespace: 'foo-1', ...mark('foo') },
    status: { conditions: [{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }] },
  });
  const pod = object('v1', 'Pod', 'foo-1', {
    metadata: { namespace: 'foo-1', ownerReferences: ownedBy(deployment) },
    status: {
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'no mapping' } } }],
    },
  });
  const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'bars', {
    metadata: mark('foo'),
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  });
  const other = object('v1', 'ConfigMap', 'foreign', { metadata: mark('bar') });
  return new Map([
    ['onboarding', new ClusterObjects([plane, service])],
    ['platform', new ClusterObjects([request, cluster])],
    ['workload', new ClusterObjects([deployment, pod, other])],
    ['mcp-x', new ClusterObjects([crd])],
  ]);
}

describe('A trace', () => {
  it('shows what a service object caused on all clusters, problems first', () => {
    const fixture = landscape();
    const tree = renderTrace(traceObject(findRoot({ kind: 'foo', name: 'a' }, fixture), fixture));
    assert.deepEqual(
      tree.split('\n').map(line => line.replace(/ {2,}/g, '  ')),
      [
        'Foo/a (shop)  ✔ ready  onboarding',
        '├─ Deployment/foo (foo-1)  … waiting  workload  MinimumReplicasUnavailable',
        '│  └─ Pod/foo-1 (foo-1)  ✖ failed  workload  ErrImagePull: no mapping',
        '└─ CustomResourceDefinition/bars  ✔ ready  mcp-x',
      ],
    );
  });

  it('shows an object once that is both owned and marked, and what is kept once for all objects', () => {
    const group = 'foo.services.open-control-plane.io/v1';
    const service = object(group, 'Foo', 'a', { metadata: { namespace: 'shop' }, status: ready });
    const secret = object('v1', 'Secret', 'foo-a', {
      metadata: { namespace: 'shop', ...mark('foo'), ownerReferences: ownedBy(service) },
    });
    const config = object(group, 'ProviderConfig', 'foo', { status: ready });
    const annotations = { 'sdk.chandlery.io/object': '~shared/foo' };
    const server = object('apps/v1', 'Deployment', 'server', {
      metadata: { namespace: 'foo', labels: mark('foo').labels, annotations },
    });
    const fixture = new Map([
      ['onboarding', new ClusterObjects([service, secret])],
      ['platform', new ClusterObjects([config])],
      ['workload', new ClusterObjects([server])],
    ]);
    const tree = renderTrace(traceObject(findRoot({ kind: 'foo', name: 'a' }, fixture), fixture));
    assert.deepEqual(
      tree.split('\n').map(line => line.replace(/ {2,}/g, '  ')),
      [
        'Foo/a (shop)  ✔ ready  onboarding',
        '├─ Secret/foo-a (shop)  ·  onboarding',
        '└─ ProviderConfig/foo  ✔ ready  platform',
        '  └─ Deployment/server (foo)  ·  workload',
      ],
    );
    const columns = tree.split('\n').map(line => line.search(/(onboarding|platform|workload)$/));
    assert.equal(new Set(columns).size, 1, 'clusters stand below each other');
  });

  it('follows a control plane over its request to its cluster', () => {
    const fixture = landscape();
    const { children } = traceObject(findRoot({ kind: 'controlplanes', name: 'a' }, fixture), fixture);
    assert.deepEqual(
      children.map(({ kind }) => kind),
      ['ClusterRequest'],
    );
    assert.deepEqual(
      children[0]?.children.map(({ kind, state }) => [kind, state]),
      [['Cluster', 'ready']],
    );
  });

  it('can be drawn', () => {
    const fixture = landscape();
    const dot = renderDot(traceObject(findRoot({ kind: 'Foo', name: 'a' }, fixture), fixture));
    assert.match(dot, /^digraph trace \{/);
    assert.match(dot, /color=red/);
  });

  it('says who is meant when several could be', () => {
    const fixture: Landscape = new Map([
      ['a', new ClusterObjects([object('v1', 'ConfigMap', 'x', { metadata: { namespace: 'n' } })])],
      ['b', new ClusterObjects([object('v1', 'ConfigMap', 'x', { metadata: { namespace: 'n' } })])],
    ]);
    assert.throws(() => findRoot({ kind: 'configmap', name: 'x' }, fixture), { code: 'Ambiguous' });
    assert.throws(() => findRoot({ kind: 'configmap', name: 'y' }, fixture), { code: 'NotFound' });
    assert.equal(findRoot({ kind: 'configmap', name: 'x', cluster: 'b' }, fixture).cluster, 'b');
  });

  it('follows labels of domains, and finds objects by the name that people gave them', () => {
    const instance = object('fleet.chandlery.io/v1alpha1', 'FleetInstance', 'c0ffee', {
      spec: { name: 'rex' },
      status: ready,
    });
    const labels = { 'fleet.chandlery.io/instance': 'c0ffee' };
    const home = object('v1', 'Namespace', 'rex-home', { metadata: { labels } });
    const deployment = object('apps/v1', 'Deployment', 'rex', { metadata: { labels } });
    const owned = object('apps/v1', 'ReplicaSet', 'rex-1', {
      metadata: { labels, ownerReferences: ownedBy(deployment) },
    });
    const all: Landscape = new Map([
      ['onboarding', new ClusterObjects([instance])],
      ['fleet-1', new ClusterObjects([home, deployment, owned])],
    ]);
    const node = traceObject(findRoot({ kind: 'fleetinstance', name: 'rex' }, all), all);
    assert.deepEqual(
      node.children.map(({ kind, children }) => [kind, children.map(child => child.kind)]),
      [
        ['Deployment', ['ReplicaSet']],
        ['Namespace', []],
      ],
    );
  });

  it('leads from a service instance to its object and bindings', () => {
    const brokers = 'brokers.chandlery.io/v1alpha1';
    const instance = object(brokers, 'ServiceInstance', 'id-1', {
      metadata: { namespace: 'shop' },
      spec: { name: 'db' },
    });
    const binding = object(brokers, 'ServiceBinding', 'b-1', { spec: { instanceId: 'id-1' } });
    const order = object('orders.chandlery.io/v1alpha1', 'Order', 'o-1', { spec: { instance: 'id-1' } });
    const labels = { 'catalogue.chandlery.io/instance': 'id-1' };
    const database = object('postgres.example.org/v1', 'PostgresDatabase', 'db', { metadata: { labels } });
    const annotations = { 'osb.chandlery.io/instance-id': 'id-1' };
    const ordered = object('postgres.example.org/v1', 'PostgresDatabase', 'osb-1', { metadata: { annotations } });
    const other = object(brokers, 'ServiceBinding', 'b-2', { spec: { instanceId: 'id-2' } });
    const all: Landscape = new Map([
      ['onboarding', new ClusterObjects([instance, binding, order, database, ordered, other])],
    ]);
    const node = traceObject(findRoot({ kind: 'serviceinstance', name: 'db' }, all), all);
    assert.deepEqual(node.children.map(({ name }) => name).sort(), ['b-1', 'db', 'o-1', 'osb-1']);
  });

  it('leads from an adopted instance to the object that has its id, in its own place only', () => {
    const brokers = 'brokers.chandlery.io/v1alpha1';
    const at = (namespace: string, spec: object = {}) => ({ metadata: { namespace }, spec });
    const fleet = (namespace: string, name: string, spec?: object) =>
      object('fleet.chandlery.io/v1alpha1', 'FleetInstance', name, at(namespace, spec));
    const order = (namespace: string, name: string) =>
      object('orders.chandlery.io/v1alpha1', 'Order', name, at(namespace));
    const all: Landscape = new Map([
      [
        'onboarding',
        new ClusterObjects([
          ...['rex', 'own', 'o-1'].map(name => object(brokers, 'ServiceInstance', name, at('acme'))),
          object(brokers, 'ServiceInstance', 'o-2', at('service-manager')),
          ...[
            fleet('fleet', 'rex'),
            fleet('acme', 'own'),
            fleet('other', 'o-1'),
            fleet('fleet', 'o-2', { instance: 'x' }),
          ],
          ...[order('acme', 'o-1'), order('default', 'o-2'), order('other', 'rex')],
        ]),
      ],
    ]);
    const behind = (name: string) =>
      traceObject(findRoot({ kind: 'serviceinstance', name }, all), all).children.map(
        ({ kind, namespace }) => `${kind} of ${namespace}`,
      );
    assert.deepEqual(['rex', 'own', 'o-1', 'o-2'].map(behind), [
      ['FleetInstance of fleet'],
      ['FleetInstance of acme'],
      ['Order of acme'],
      ['Order of default'],
    ]);
  });

  it('leads from a provider to what runs it, and to the error that ends it', () => {
    const name = 'foo';
    const provider = object('openmcp.cloud/v1alpha1', 'ServiceProvider', name);
    const labels = {
      'app.kubernetes.io/managed-by': 'chandlery-operator',
      'app.kubernetes.io/name': 'ServiceProvider',
      'app.kubernetes.io/instance': name,
    };
    const job = object('batch/v1', 'Job', 'sp-foo-init', { metadata: { labels, ownerReferences: ownedBy(provider) } });
    const deployment = object('apps/v1', 'Deployment', 'sp-foo', { metadata: { labels } });
    const replicas = object('apps/v1', 'ReplicaSet', 'sp-foo-1', {
      metadata: { labels, ownerReferences: ownedBy(deployment) },
    });
    const message = "Error: Cannot find package 'nosuch'";
    const pod = object('v1', 'Pod', 'sp-foo-1-x', {
      metadata: { labels, ownerReferences: ownedBy(replicas) },
      status: {
        containerStatuses: [
          {
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error', message } },
          },
        ],
      },
    });
    const all: Landscape = new Map([['platform', new ClusterObjects([provider, job, deployment, replicas, pod])]]);
    const tree = renderTrace(traceObject(findRoot({ kind: 'serviceprovider', name }, all), all), { isWide: true });
    assert.deepEqual(
      tree.split('\n').map(line => line.replace(/ {2,}/g, '  ')),
      [
        'ServiceProvider/foo  ·  platform openmcp.cloud/v1alpha1',
        '├─ Deployment/sp-foo  ·  platform apps/v1',
        '│  └─ ReplicaSet/sp-foo-1  ·  platform apps/v1',
        "│  └─ Pod/sp-foo-1-x  ✖ failed  platform v1  CrashLoopBackOff: its container failed (exit code 1): Cannot find package 'nosuch'",
        '└─ Job/sp-foo-init  ·  platform batch/v1',
      ],
    );
  });

  it('can be reduced to problems', () => {
    const node = traceObject(findRoot({ kind: 'Foo', name: 'a' }, landscape()), landscape());
    const names = (tree: TraceNode): string[] => [tree.kind, ...tree.children.flatMap(names)];
    assert.deepEqual(names(problemsOf(node)), ['Foo', 'Deployment', 'Pod']);
    assert.ok(names(node).length > 3);
  });
});

describe('The trace of a service instance', () => {
  const brokers = 'brokers.chandlery.io/v1alpha1';
  const metadata = { namespace: 'acme' };
  const instance = object(brokers, 'ServiceInstance', 'db', { metadata, status: ready });
  const bound = object(brokers, 'ServiceBinding', 'b', { metadata, spec: { instanceId: 'db' }, status: ready });
  const waiting = object(brokers, 'ServiceBinding', 'c', { metadata, spec: { instanceId: 'db' }, status: ready });
  const uids = new Map([instance, bound, waiting].map(each => [`acme/${each.metadata.name}`, each.metadata.uid ?? '']));
  const web = { nodeId: 'web-1', cluster: 'onboarding' };
  const shown = {
    mesh: 'onboarding',
    service: { namespace: 'acme', name: 'db' },
    proxies: [{ nodeId: 'guard', cluster: 'onboarding', state: 'SYNCED' }],
    access: [
      { binding: 'acme/b', account: 'acme/web', proxies: [{ ...web, state: 'ERROR', message: 'bad listener' }] },
      { binding: 'acme/c', account: 'acme/cron', cluster: 'east', proxies: [] },
    ],
  };
  const traced = () =>
    traceObject(
      { cluster: 'onboarding', object: instance },
      new Map([
        ['onboarding', new ClusterObjects([instance, bound, waiting])],
        ...meshesOf('acme/db', [shown], (_, key) => uids.get(key)),
      ]),
    );

  it('leads to its service, from bindings to accounts, and to the proxies that enforce access', () => {
    assert.deepEqual(renderTrace(traced()).replaceAll(/ +/g, ' ').split('\n'), [
      'ServiceInstance/db (acme) ✔ ready onboarding',
      '├─ ServiceBinding/b (acme) ✔ ready onboarding',
      '│ └─ MeshAccess/web (acme) ✔ ready mesh/onboarding',
      '│ └─ Proxy/web-1 ✖ failed mesh/onboarding Error: bad listener',
      '├─ ServiceBinding/c (acme) ✔ ready onboarding',
      '│ └─ MeshAccess/cron (acme) … waiting mesh/onboarding NoProxy: no proxy of the account is connected on cluster east',
      '└─ MeshService/db (acme) ✔ ready mesh/onboarding',
      ' └─ Proxy/guard ✔ ready mesh/onboarding',
    ]);
  });

  it('has the proxies that have rejected it among its problems', () => {
    const text = renderTrace(problemsOf(traced()));
    assert.match(text, /Proxy\/web-1/);
    assert.doesNotMatch(text, /guard/);
  });
});
