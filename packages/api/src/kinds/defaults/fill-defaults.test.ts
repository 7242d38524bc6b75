import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '../../object.ts';
import { fillDependentDefaults } from './fill-defaults.ts';
import { pullPolicyOf } from './pod-defaults.ts';

const filled = (apiVersion: string, kind: string, fields: Record<string, unknown>, metadata = {}): KubeObject => {
  const object: KubeObject = { apiVersion, kind, metadata, ...structuredClone(fields) };
  fillDependentDefaults(object);
  const once = structuredClone(object);
  fillDependentDefaults(object);
  assert.deepEqual(object, once, 'a second run changes nothing');
  return object;
};

describe('when an image is pulled', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry.example:5000/nginx', 'Always'],
    ['registry.example:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
    ['nginx:latest@sha256:abc', 'Always'],
  ];
  for (const [image, policy] of cases) test(`${image}: ${policy}`, () => assert.equal(pullPolicyOf(image), policy));
});

interface Case {
  readonly why: string;
  readonly kind: readonly [string, string];
  readonly fields: Record<string, unknown>;
  readonly gives: Record<string, unknown>;
}

const container = { name: 'a', image: 'a:1' };
const pulled = { ...container, imagePullPolicy: 'IfNotPresent' };

const cases: readonly Case[] = [
  {
    why: 'limits are requests too, unless some are named',
    kind: ['v1', 'Pod'],
    fields: {
      spec: {
        containers: [{ ...container, resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } }],
      },
    },
    gives: {
      spec: {
        containers: [
          { ...pulled, resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } },
        ],
      },
    },
  },
  {
    why: 'a volume without a source is an empty directory',
    kind: ['v1', 'Pod'],
    fields: { spec: { volumes: [{ name: 'a' }, { name: 'b', secret: { secretName: 's' } }] } },
    gives: {
      spec: {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', secret: { secretName: 's' } },
        ],
      },
    },
  },
  {
    why: "ports on the node's network are ports of the node",
    kind: ['v1', 'Pod'],
    fields: { spec: { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] } },
    gives: { spec: { hostNetwork: true, containers: [{ ...pulled, ports: [{ containerPort: 80, hostPort: 80 }] }] } },
  },
  {
    why: 'the service account is known under both names',
    kind: ['v1', 'Pod'],
    fields: { spec: { serviceAccount: 'bot' } },
    gives: { spec: { serviceAccount: 'bot', serviceAccountName: 'bot' } },
  },
  {
    why: 'a deployment replaces a quarter at a time',
    kind: ['apps/v1', 'Deployment'],
    fields: { spec: { strategy: {}, template: { spec: { containers: [container] } } } },
    gives: {
      spec: {
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        template: { spec: { containers: [pulled] } },
      },
    },
  },
  {
    why: 'a deployment that recreates has no settings of rolling updates',
    kind: ['apps/v1', 'Deployment'],
    fields: { spec: { strategy: { type: 'Recreate' } } },
    gives: { spec: { strategy: { type: 'Recreate' } } },
  },
  {
    why: 'a job of which nothing is said runs once',
    kind: ['batch/v1', 'Job'],
    fields: { spec: {} },
    gives: { spec: { completions: 1, parallelism: 1, podReplacementPolicy: 'TerminatingOrFailed' } },
  },
  {
    why: 'a work queue has no completions',
    kind: ['batch/v1', 'Job'],
    fields: { spec: { parallelism: 2 } },
    gives: { spec: { parallelism: 2, podReplacementPolicy: 'TerminatingOrFailed' } },
  },
  {
    why: 'a service leads to the same port, and says how traffic flows',
    kind: ['v1', 'Service'],
    fields: { spec: { ports: [{ port: 80 }, { port: 81, targetPort: 'http' }] } },
    gives: {
      spec: {
        ports: [
          { port: 80, targetPort: 80 },
          { port: 81, targetPort: 'http' },
        ],
        internalTrafficPolicy: 'Cluster',
      },
    },
  },
  {
    why: 'a load balancer has more to say',
    kind: ['v1', 'Service'],
    fields: { spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP' } },
    gives: {
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        sessionAffinityConfig: { clientIP: {} },
      },
    },
  },
  {
    why: 'subjects and roles get their groups',
    kind: ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
    fields: {
      subjects: [
        { kind: 'User', name: 'eve' },
        { kind: 'ServiceAccount', name: 'bot', apiGroup: '' },
      ],
      roleRef: { kind: 'Role', name: 'r', apiGroup: '' },
    },
    gives: {
      subjects: [
        { kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: 'bot' },
      ],
      roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
    },
  },
  {
    why: 'a network policy that speaks of egress rules it',
    kind: ['networking.k8s.io/v1', 'NetworkPolicy'],
    fields: { spec: { egress: [] } },
    gives: { spec: { egress: [], podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
  },
];

describe('defaults that depend on other fields', () => {
  for (const { why, kind, fields, gives } of cases) {
    test(why, () => {
      const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = filled(...kind, fields);
      assert.deepEqual(rest, gives);
    });
  }

  test('a job has the labels of its pods unless it has its own', () => {
    const spec = { template: { metadata: { labels: { app: 'x' } } } };
    assert.deepEqual(filled('batch/v1', 'Job', { spec }).metadata, { labels: { app: 'x' } });
    const own = { labels: { app: 'y' } };
    assert.deepEqual(filled('batch/v1', 'Job', { spec }, own).metadata, own);
  });

  test('other kinds and broken objects are left alone', () => {
    assert.deepEqual(filled('example.org/v1', 'Deployment', { spec: {} })['spec'], {});
    assert.deepEqual(filled('apps/v1', 'Deployment', { spec: 'what?' })['spec'], 'what?');
    assert.deepEqual(filled('v1', 'Pod', { spec: { containers: [null, 1], volumes: {} } })['spec'], {
      containers: [null, 1],
      volumes: {},
    });
  });
});
