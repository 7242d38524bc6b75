import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { dynamicPortNames, formatPorts, portVariables, reportedPorts } from '../../kinds/dynamic-ports.ts';
import { nodeNameOf } from '../pods/node-name.ts';
import type { ContainerState, PodStatus } from '../pods/pod-status.ts';
import { resolvePort } from '../pods/resolve-port.ts';
import { planClaims } from './claims.ts';
import { architectureOf, describeNode, nodeLabels } from './node-object.ts';
import { type NodeObject, placePod, waitsForNode } from './placement.ts';
import { podEvents } from './pod-events.ts';
import { mergeStatus } from './pod-report.ts';
import { sourceNames, valuesOf } from './pod-sources.ts';
import { sketchPod } from './test-pods.ts';

const status = (state: ContainerState, containerID = 'process://u/main/0'): PodStatus => ({
  ...(sketchPod('p').status as PodStatus),
  containerStatuses: [
    {
      name: 'main',
      image: 'acme/tool',
      imageID: '',
      containerID,
      state,
      lastState: {},
      ready: false,
      started: false,
      restartCount: 0,
    },
  ],
});

describe('events of a pod', () => {
  const running = status({ running: { startedAt: '' } });
  const waiting = (reason: string): PodStatus => status({ waiting: { reason, message: 'why' } });
  for (const [why, before, after, expected] of [
    ['a container starts', undefined, running, 'Normal Started: Started container main'],
    ['nothing happened', running, running, ''],
    [
      'it starts again',
      running,
      status({ running: { startedAt: '' } }, 'process://u/main/1'),
      'Normal Started: Started container main',
    ],
    [
      'it fails again and again',
      running,
      waiting('CrashLoopBackOff'),
      'Warning BackOff: Back-off restarting failed container main',
    ],
    ['it still does', waiting('CrashLoopBackOff'), waiting('CrashLoopBackOff'), ''],
    ['an image is not there', undefined, waiting('ErrImagePull'), 'Warning Failed: Error: ErrImagePull: why'],
    [
      'it still is not',
      waiting('ErrImagePull'),
      waiting('ImagePullBackOff'),
      'Normal BackOff: Back-off pulling image "acme/tool"',
    ],
    ['it is being made', undefined, waiting('ContainerCreating'), ''],
  ] as const) {
    test(why, () => {
      const told = podEvents(before, after).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
      assert.equal(told.join(), expected);
    });
  }
});

describe('the report of a pod', () => {
  test('keeps what the API and others say', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: 'then' } as const;
    const gate = { type: 'example.org/gate', status: 'True' } as const;
    const before = { qosClass: 'Burstable', conditions: [scheduled, gate], phase: 'Pending', reason: 'gone' } as const;
    const told = { ...status({}), conditions: [{ ...scheduled, lastTransitionTime: 'now' }] };
    const merged = mergeStatus(before, told);
    assert.deepEqual(merged?.conditions, [scheduled, gate]);
    assert.deepEqual([merged?.qosClass, merged?.phase, merged?.reason], ['Burstable', 'Running', undefined]);
  });
});

describe('the sources of a pod', () => {
  test('are all that its variables and volumes name', () => {
    const names = sourceNames({
      initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's1' } }, { configMapRef: { name: 'c1' } }] }],
      containers: [
        {
          name: 'c',
          env: [
            { name: 'A', valueFrom: { secretKeyRef: { name: 's2', key: 'k' } } },
            { name: 'B', valueFrom: { configMapKeyRef: { name: 'c1', key: 'k' } } },
            { name: 'C', value: 'plain' },
          ],
        },
      ],
      volumes: [
        { name: 'v1', secret: { secretName: 's3' } },
        { name: 'v2', projected: { sources: [{ configMap: { name: 'c2' } }, { secret: { name: 's1' } }] } },
      ],
    });
    assert.deepEqual(names, { secrets: ['s1', 's2', 's3'], configMaps: ['c1', 'c2'] });
  });

  test('are bytes', () => {
    const text = (values: Record<string, Uint8Array>): unknown =>
      Object.fromEntries(Object.entries(values).map(([key, bytes]) => [key, Buffer.from(bytes).toString()]));
    const encoded = Buffer.from('x').toString('base64');
    assert.deepEqual(text(valuesOf({ kind: 'Secret', data: { a: encoded } })), { a: 'x' });
    assert.deepEqual(text(valuesOf({ kind: 'ConfigMap', data: { a: 'y' }, binaryData: { b: encoded } })), {
      a: 'y',
      b: 'x',
    });
  });
});

describe('placing a pod', () => {
  const node = (labels: Record<string, string>, more: Partial<NodeObject> = {}): NodeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'laptop', labels },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
    ...more,
  });
  const pending = sketchPod('p', { phase: 'Pending', node: '' });
  const picky = { ...pending, spec: { containers: [], nodeSelector: { disk: 'ssd' } } };
  for (const [why, pod, nodes, expected] of [
    ['binds it to the node', pending, [node({})], 'laptop'],
    ['looks at its selector', picky, [node({ disk: 'ssd' })], 'laptop'],
    [
      'does not bind where it does not want to be',
      picky,
      [node({})],
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      'respects a closed node',
      pending,
      [node({}, { spec: { unschedulable: true } })],
      '0/1 nodes are available: 1 node(s) were unschedulable.',
    ],
    [
      'waits for the node to be ready',
      pending,
      [node({}, { status: {} })],
      '0/1 nodes are available: 1 node(s) were not ready.',
    ],
    ['waits for a node', pending, [], 'no nodes available to schedule pods'],
  ] as const) {
    test(why, () => {
      const placement = placePod(pod, nodes);
      assert.equal(placement.type === 'bind' ? placement.node : placement.message, expected);
    });
  }

  test('is only for pods that wait for it', () => {
    assert.ok(waitsForNode(pending));
    assert.ok(!waitsForNode(sketchPod('p')));
    assert.ok(!waitsForNode({ ...pending, spec: { containers: [], schedulerName: 'mine' } }));
    assert.ok(!waitsForNode({ ...pending, spec: { containers: [], schedulingGates: [{}] } }));
    assert.ok(!waitsForNode(sketchPod('p', { phase: 'Pending', node: '', isDeleted: true })));
  });
});

describe('ports that are left to the node', () => {
  const annotations = {
    'clusters.chandlery.io/dynamic-ports': 'http, admin-ui,',
    'clusters.chandlery.io/ports': '{"http":1001,"other":7,"admin-ui":"x"}',
  };
  const container = { name: 'c', ports: [{ name: 'http', containerPort: 8080 }] };

  test('are named by one annotation and reported by another', () => {
    assert.deepEqual(dynamicPortNames(annotations), ['http', 'admin-ui']);
    assert.deepEqual(reportedPorts(annotations), { http: 1001 });
    assert.deepEqual(reportedPorts({ ...annotations, 'clusters.chandlery.io/ports': 'null' }), {});
    assert.equal(formatPorts({ z: 1, a: 2 }), '{"a":2,"z":1}');
    assert.deepEqual(portVariables({ 'admin-ui': 5 }), { PORT_ADMIN_UI: '5' });
  });

  test('stand for the declared ones, by name and by number', () => {
    assert.equal(resolvePort(container, 'http', { http: 1001 }), 1001);
    assert.equal(resolvePort(container, 8080, { http: 1001 }), 1001);
    assert.equal(resolvePort(container, 9090, { http: 1001 }), 9090);
    assert.equal(resolvePort(container, 'http'), 8080);
    assert.throws(() => resolvePort(container, 'none'), { code: 'UnknownPort' });
  });
});

describe('what an owner claims', () => {
  const object = (name: string, labels: Record<string, string>, uid?: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels,
      ...(uid === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }] }),
    },
  });
  const owner = { ...object('owner', {}), metadata: { uid: 'me' } };

  test('is what fits and is free; what does not fit goes', () => {
    const objects = [
      object('free', { a: 'b' }),
      object('other', {}),
      object('taken', { a: 'b' }, 'you'),
      object('lost', {}, 'me'),
    ];
    const { adopt, release } = planClaims(owner, { matchLabels: { a: 'b' } }, objects);
    assert.deepEqual(
      [adopt, release].map(list => list.map(({ metadata }) => metadata.name)),
      [['free'], ['lost']],
    );
  });

  test('is nothing when the selector says nothing', () => {
    assert.deepEqual(planClaims(owner, {}, [object('free', { a: 'b' })]).adopt, []);
  });
});

describe('the node', () => {
  const machine = { name: 'laptop', cpus: 4, memoryBytes: 8 * 1024 ** 3 };
  const facts = { os: 'linux', arch: architectureOf('x64'), kernelVersion: '6', osImage: 'Linux', version: 'v1' };

  test('has a name and labels that Kubernetes allows', () => {
    assert.equal(nodeNameOf("Ada's_MacBook.local"), 'ada-s-macbook.local');
    assert.equal(nodeNameOf('___'), 'node');
    assert.equal(nodeLabels(machine, facts)['kubernetes.io/arch'], 'amd64');
  });

  test('is described the same again', () => {
    const first = describeNode(machine, facts, undefined, new Date(0));
    assert.deepEqual(describeNode(machine, facts, first, new Date(60_000)), first);
  });
});
