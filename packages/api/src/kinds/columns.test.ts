import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '../object.ts';
import { builtInKinds } from './index.ts';

const now = new Date('2026-01-01T12:00:00Z');

/** The cells that are not ages, by title. */
function cellsOf(plural: string, fields: Record<string, unknown>, metadata: KubeObject['metadata'] = {}) {
  const kind = builtInKinds.find(candidate => candidate.plural === plural);
  assert.ok(kind !== undefined, plural);
  const object: KubeObject = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'x', ...metadata }, ...fields };
  const computed = (kind.versions[0]?.columns ?? []).filter(column => column.cell !== undefined);
  return Object.fromEntries(computed.map(column => [column.name, column.cell?.(object, now)]));
}

const titlesOf = (plural: string, isWide: boolean): string =>
  (builtInKinds.find(kind => kind.plural === plural)?.versions[0]?.columns ?? [])
    .filter(column => isWide || (column.priority ?? 0) === 0)
    .map(column => column.name)
    .join(' | ');

describe('titles', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['pods', 'Ready | Status | Restarts | Age', ' | IP | Node | Nominated Node | Readiness Gates'],
    ['deployments', 'Ready | Up-to-date | Available | Age', ' | Containers | Images | Selector'],
    ['services', 'Type | Cluster-IP | External-IP | Port(s) | Age', ' | Selector'],
    ['jobs', 'Status | Completions | Duration | Age', ' | Containers | Images | Selector'],
    ['secrets', 'Type | Data | Age', ''],
    ['configmaps', 'Data | Age', ''],
    ['serviceaccounts', 'Secrets | Age', ''],
    ['namespaces', 'Status | Age', ''],
    ['roles', 'Created At', ''],
    ['rolebindings', 'Role | Age', ' | Users | Groups | ServiceAccounts'],
    ['leases', 'Holder | Age', ''],
  ];
  for (const [plural, narrow, further] of cases) {
    test(`of ${plural} are those that kubectl users know`, () => {
      assert.equal(titlesOf(plural, false), narrow);
      assert.equal(titlesOf(plural, true), narrow + further);
    });
  }
  test('of events begin with when, and keep the name for wide output', () => {
    assert.equal(titlesOf('events', false), 'Last Seen | Type | Reason | Object | Message');
    assert.equal(
      titlesOf('events', true),
      'Last Seen | Type | Reason | Object | Subobject | Source | Message | First Seen | Count | Name',
    );
  });
});

const running = (name: string) => ({ name, ready: true, restartCount: 0, state: { running: {} } });
const waiting = (name: string, reason: string) => ({ name, restartCount: 0, state: { waiting: { reason } } });
const ended = (name: string, terminated: object) => ({ name, restartCount: 0, state: { terminated } });
const ready = { type: 'Ready', status: 'True' };

interface PodCase {
  readonly why: string;
  readonly spec?: object;
  readonly status: object;
  readonly metadata?: KubeObject['metadata'];
  readonly shows: string;
}

const podCases: readonly PodCase[] = [
  { why: 'waits for a node', status: { phase: 'Pending' }, shows: '0/2 Pending 0' },
  {
    why: 'runs',
    status: { phase: 'Running', containerStatuses: [running('a'), running('b')] },
    shows: '2/2 Running 0',
  },
  {
    why: 'has a container that keeps crashing',
    status: {
      phase: 'Running',
      containerStatuses: [
        running('a'),
        {
          ...waiting('b', 'CrashLoopBackOff'),
          restartCount: 3,
          lastState: { terminated: { finishedAt: '2026-01-01T11:55:00Z' } },
        },
      ],
    },
    shows: '1/2 CrashLoopBackOff 3 (5m ago)',
  },
  {
    why: 'has two containers with something to say: the first one counts',
    status: {
      phase: 'Pending',
      containerStatuses: [waiting('a', 'ErrImagePull'), waiting('b', 'ContainerCreating')],
    },
    shows: '0/2 ErrImagePull 0',
  },
  {
    why: 'has ended well',
    status: {
      phase: 'Succeeded',
      containerStatuses: [
        ended('a', { exitCode: 0, reason: 'Completed' }),
        ended('b', { exitCode: 0, reason: 'Completed' }),
      ],
    },
    shows: '0/2 Completed 0',
  },
  {
    why: 'has one container that ended and one that runs',
    status: {
      phase: 'Running',
      conditions: [ready],
      containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' }), running('b')],
    },
    shows: '1/2 Running 0',
  },
  {
    why: 'is not ready although one container runs',
    status: {
      phase: 'Running',
      containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' }), running('b')],
    },
    shows: '1/2 NotReady 0',
  },
  {
    why: 'was killed by a signal without a reason',
    status: { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 137, signal: 9 })] },
    shows: '0/2 Signal:9 0',
  },
  {
    why: 'failed with an exit code without a reason',
    status: { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 2 })] },
    shows: '0/2 ExitCode:2 0',
  },
  {
    why: 'was evicted',
    status: { phase: 'Failed', reason: 'Evicted' },
    shows: '0/2 Evicted 0',
  },
  {
    why: 'runs its second init container',
    spec: { initContainers: [{ name: 'i' }, { name: 'j' }], containers: [{ name: 'a' }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: [ended('i', { exitCode: 0 }), { name: 'j', restartCount: 0, state: { running: {} } }],
      containerStatuses: [waiting('a', 'PodInitializing')],
    },
    shows: '0/1 Init:1/2 0',
  },
  {
    why: 'has an init container that failed',
    spec: { initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: [{ ...ended('i', { exitCode: 1, reason: 'Error' }), restartCount: 2 }],
    },
    shows: '0/1 Init:Error 2',
  },
  {
    why: 'has an init container that keeps crashing',
    spec: { initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] },
    status: { phase: 'Pending', initContainerStatuses: [waiting('i', 'CrashLoopBackOff')] },
    shows: '0/1 Init:CrashLoopBackOff 0',
  },
  {
    why: 'has a sidecar that counts as a container',
    spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }], containers: [{ name: 'a' }] },
    status: {
      phase: 'Running',
      initContainerStatuses: [{ ...running('s'), started: true }],
      containerStatuses: [running('a')],
    },
    shows: '2/2 Running 0',
  },
  {
    why: 'is held back from scheduling',
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    },
    shows: '0/2 SchedulingGated 0',
  },
  {
    why: 'is going away',
    metadata: { deletionTimestamp: '2026-01-01T12:00:00Z' },
    status: { phase: 'Running', containerStatuses: [running('a'), running('b')] },
    shows: '2/2 Terminating 0',
  },
  {
    why: 'ended before it was deleted',
    metadata: { deletionTimestamp: '2026-01-01T12:00:00Z' },
    status: { phase: 'Succeeded', containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' })] },
    shows: '0/2 Completed 0',
  },
  {
    why: 'was on a node that is lost',
    metadata: { deletionTimestamp: '2026-01-01T12:00:00Z' },
    status: { phase: 'Running', reason: 'NodeLost' },
    shows: '0/2 Unknown 0',
  },
];

describe('a pod', () => {
  for (const { why, spec = { containers: [{ name: 'a' }, { name: 'b' }] }, status, metadata, shows } of podCases) {
    test(`that ${why} shows ${shows}`, () => {
      const cells = cellsOf('pods', { spec, status }, metadata);
      assert.equal(`${cells['Ready']} ${cells['Status']} ${cells['Restarts']}`, shows);
    });
  }

  test('shows where it is with wide output', () => {
    const spec = {
      nodeName: 'n1',
      containers: [],
      readinessGates: [{ conditionType: 'Lit' }, { conditionType: 'Up' }],
    };
    const status = { podIP: '10.0.0.1', conditions: [{ type: 'Up', status: 'True' }] };
    const cells = cellsOf('pods', { spec, status });
    assert.deepEqual(
      [cells['IP'], cells['Node'], cells['Nominated Node'], cells['Readiness Gates']],
      ['10.0.0.1', 'n1', '<none>', '1/2'],
    );
  });
});

interface CellCase {
  readonly why: string;
  readonly plural: string;
  readonly fields: Record<string, unknown>;
  readonly metadata?: KubeObject['metadata'];
  readonly cells: Record<string, unknown>;
}

const template = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j' },
    ],
  },
};

const cellCases: readonly CellCase[] = [
  {
    why: 'a deployment',
    plural: 'deployments',
    fields: {
      spec: {
        replicas: 3,
        template,
        selector: {
          matchLabels: { b: '2', a: '1' },
          matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x'] }],
        },
      },
      status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
    },
    cells: {
      Ready: '2/3',
      'Up-to-date': 3,
      Available: 1,
      Containers: 'a,b',
      Images: 'i:1,j',
      Selector: 'a=1,b=2,c in (x,y)',
    },
  },
  {
    why: 'a cluster service',
    plural: 'services',
    fields: {
      spec: {
        type: 'NodePort',
        clusterIP: '10.0.0.2',
        ports: [
          { port: 80, nodePort: 30_080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { app: 'web' },
      },
    },
    cells: {
      Type: 'NodePort',
      'Cluster-IP': '10.0.0.2',
      'External-IP': '<none>',
      'Port(s)': '80:30080/TCP,53/UDP',
      Selector: 'app=web',
    },
  },
  {
    why: 'a load balancer without an address yet',
    plural: 'services',
    fields: { spec: { type: 'LoadBalancer', clusterIP: 'None' } },
    cells: {
      Type: 'LoadBalancer',
      'Cluster-IP': 'None',
      'External-IP': '<pending>',
      'Port(s)': '<none>',
      Selector: '<none>',
    },
  },
  {
    why: 'an external name',
    plural: 'services',
    fields: { spec: { type: 'ExternalName', externalName: 'a.example' } },
    cells: {
      Type: 'ExternalName',
      'Cluster-IP': '<none>',
      'External-IP': 'a.example',
      'Port(s)': '<none>',
      Selector: '<none>',
    },
  },
  {
    why: 'a finished job',
    plural: 'jobs',
    fields: {
      spec: { completions: 2, template, selector: {} },
      status: {
        succeeded: 2,
        startTime: '2026-01-01T11:00:00Z',
        completionTime: '2026-01-01T11:02:05Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    cells: {
      Status: 'Complete',
      Completions: '2/2',
      Duration: '2m5s',
      Containers: 'a,b',
      Images: 'i:1,j',
      Selector: '<none>',
    },
  },
  {
    why: 'a running job of a work queue',
    plural: 'jobs',
    fields: { spec: { parallelism: 3 }, status: { startTime: '2026-01-01T11:59:50Z' } },
    cells: {
      Status: 'Running',
      Completions: '0/1 of 3',
      Duration: '10s',
      Containers: '',
      Images: '',
      Selector: '<none>',
    },
  },
  {
    why: 'a secret',
    plural: 'secrets',
    fields: { type: 'Opaque', data: { a: '', b: '' } },
    cells: { Type: 'Opaque', Data: 2 },
  },
  { why: 'a config map', plural: 'configmaps', fields: { data: { a: '' }, binaryData: { b: '' } }, cells: { Data: 2 } },
  {
    why: 'a role binding',
    plural: 'rolebindings',
    fields: {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'User', name: 'eve' },
        { kind: 'User', name: 'bob' },
        { kind: 'ServiceAccount', namespace: 'shop', name: 'bot' },
      ],
    },
    cells: { Role: 'ClusterRole/view', Users: 'eve, bob', Groups: '', ServiceAccounts: 'shop/bot' },
  },
  {
    why: 'endpoints with many addresses',
    plural: 'endpoints',
    fields: {
      subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }, { port: 443 }] }],
    },
    cells: { Endpoints: '10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...' },
  },
  {
    why: 'an endpoint slice',
    plural: 'endpointslices',
    fields: { addressType: 'IPv4', ports: [{ port: 80 }, {}], endpoints: [{ addresses: ['10.0.0.1'] }] },
    cells: { AddressType: 'IPv4', Ports: '80,*', Endpoints: '10.0.0.1' },
  },
  {
    why: 'a role',
    plural: 'roles',
    fields: {},
    metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
    cells: { 'Created At': '2026-01-01T00:00:00Z' },
  },
  {
    why: 'a tainted control-plane node',
    plural: 'nodes',
    fields: {
      spec: { unschedulable: true },
      status: {
        conditions: [ready],
        addresses: [{ type: 'InternalIP', address: '10.1.0.1' }],
        nodeInfo: { kubeletVersion: 'v1.32.0', osImage: 'Linux' },
      },
    },
    metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } },
    cells: {
      Status: 'Ready,SchedulingDisabled',
      Roles: 'control-plane',
      Version: 'v1.32.0',
      'Internal-IP': '10.1.0.1',
      'External-IP': '<none>',
      'OS-Image': 'Linux',
      'Kernel-Version': '<unknown>',
      'Container-Runtime': '<unknown>',
    },
  },
  {
    why: 'an event',
    plural: 'events',
    fields: {
      involvedObject: { kind: 'Pod', name: 'web', fieldPath: 'spec.containers{a}' },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Restarting.\n',
      source: { component: 'kubelet', host: 'n1' },
      firstTimestamp: '2026-01-01T11:00:00Z',
      lastTimestamp: '2026-01-01T11:59:00Z',
      count: 7,
    },
    cells: {
      'Last Seen': '60s',
      Type: 'Warning',
      Reason: 'BackOff',
      Object: 'pod/web',
      Subobject: 'spec.containers{a}',
      Source: 'kubelet, n1',
      Message: 'Restarting.',
      'First Seen': '60m',
      Count: 7,
      Name: 'x',
    },
  },
  {
    why: 'a claim',
    plural: 'persistentvolumeclaims',
    fields: {
      spec: { volumeName: 'pv1', storageClassName: 'fast', volumeMode: 'Filesystem' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    cells: {
      Status: 'Bound',
      Volume: 'pv1',
      Capacity: '1Gi',
      'Access Modes': 'RWO,RWX',
      StorageClass: 'fast',
      VolumeAttributesClass: '<unset>',
      VolumeMode: 'Filesystem',
    },
  },
  {
    why: 'a quota',
    plural: 'resourcequotas',
    fields: { status: { hard: { cpu: '2', 'limits.cpu': '4', pods: '5' }, used: { cpu: '500m' } } },
    cells: { Request: 'cpu: 500m/2, pods: 0/5', Limit: 'limits.cpu: 0/4' },
  },
  {
    why: 'an autoscaler',
    plural: 'horizontalpodautoscalers',
    fields: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
      status: {
        currentReplicas: 2,
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '4m' } } },
        ],
      },
    },
    cells: { Reference: 'Deployment/web', Targets: 'cpu: 40%/80%', MinPods: '1', MaxPods: 5, Replicas: 2 },
  },
];

describe('cells', () => {
  for (const { why, plural, fields, metadata, cells } of cellCases) {
    test(`of ${why}`, () => assert.deepEqual(cellsOf(plural, fields, metadata), cells));
  }
});
