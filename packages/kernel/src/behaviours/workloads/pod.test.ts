import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from './objects.ts';
import { podBehaviour } from './pod.ts';
import { type Case, created, now, updated } from './test-writes.ts';

const box = { name: 'a', image: 'a:1' };
const spec = { containers: [box] };
const make = (more: Record<string, unknown> = {}) => created<Pod>('/pods', { spec: { ...spec, ...more } });

const rules: readonly Case[] = [
  { why: 'a small pod', spec },
  {
    why: 'nulls everywhere',
    spec: { ...spec, volumes: null, tolerations: null, nodeSelector: null, initContainers: null, nodeName: null },
  },
  {
    why: 'no name',
    spec: { containers: [{ ...box, name: '' }] },
    problems: ['spec.containers[0].name: Required value'],
  },
  { why: 'no image', spec: { containers: [{ name: 'a' }] }, problems: ['spec.containers[0].image: Required value'] },
  {
    why: 'two containers of one name, though in two lists',
    spec: { containers: [box], initContainers: [box] },
    problems: ['spec.containers[0].name: Duplicate value: "a"'],
  },
  {
    why: 'a mount of no volume',
    spec: { containers: [{ ...box, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
    problems: ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
  },
  {
    why: 'a mount of a volume',
    spec: { volumes: [{ name: 'v' }], containers: [{ ...box, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
  },
  {
    why: 'two mounts in one place',
    spec: {
      volumes: [{ name: 'v' }],
      containers: [
        {
          ...box,
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'v', mountPath: '/v' },
          ],
        },
      ],
    },
    problems: ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/v": must be unique'],
  },
  {
    why: 'a volume of two types',
    spec: { ...spec, volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }] },
    problems: ['spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type'],
  },
  {
    why: 'two volumes of one name',
    spec: { ...spec, volumes: [{ name: 'v' }, { name: 'v' }] },
    problems: ['spec.volumes[1].name: Duplicate value: "v"'],
  },
  {
    why: 'two ports of one name',
    spec: {
      containers: [
        {
          ...box,
          ports: [
            { name: 'p', containerPort: 1 },
            { name: 'p', containerPort: 2 },
          ],
        },
      ],
    },
    problems: ['spec.containers[0].ports[1].name: Duplicate value: "p"'],
  },
  {
    why: 'a port name that is none',
    spec: { containers: [{ ...box, ports: [{ name: '80', containerPort: 1 }] }] },
    problems: ['spec.containers[0].ports[0].name: Invalid value: "80": must contain at least one letter (a-z)'],
  },
  {
    why: "another port on the node's network",
    spec: { hostNetwork: true, containers: [{ ...box, ports: [{ containerPort: 80, hostPort: 81 }] }] },
    problems: [
      'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
    ],
  },
  {
    why: 'one port of the node for two containers',
    spec: {
      containers: [
        { ...box, ports: [{ containerPort: 80, hostPort: 81 }] },
        { ...box, name: 'b', ports: [{ containerPort: 80, hostPort: 81 }] },
      ],
    },
    problems: ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//81"'],
  },
  {
    why: 'a variable with an equals sign',
    spec: { containers: [{ ...box, env: [{ name: 'A=B', value: '' }] }] },
    problems: [
      'spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
    ],
  },
  {
    why: 'a variable with value and source',
    spec: {
      containers: [
        { ...box, env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      ],
    },
    problems: [
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ],
  },
  {
    why: 'a variable with an empty source',
    spec: { containers: [{ ...box, env: [{ name: 'A', valueFrom: {} }] }] },
    problems: [
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
    ],
  },
  {
    why: 'more asked for than allowed',
    spec: { containers: [{ ...box, resources: { limits: { cpu: 1 }, requests: { cpu: '1100m' } } }] },
    problems: [
      'spec.containers[0].resources.requests: Invalid value: "1100m": must be less than or equal to cpu limit of 1',
    ],
  },
  {
    why: 'less than nothing',
    spec: { containers: [{ ...box, resources: { limits: { cpu: '-1' }, requests: {} } }] },
    problems: [
      'spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  },
  {
    why: 'a toleration of everything that is not one',
    spec: { ...spec, tolerations: [{ operator: 'Equal' }] },
    problems: [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  },
  {
    why: 'a gated pod on a node',
    spec: { ...spec, nodeName: 'n', schedulingGates: [{ name: 'g' }] },
    problems: ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  },
];

describe('the rules of a pod', () => {
  for (const { why, spec: given, problems = [] } of rules) {
    test(why, async () => {
      assert.deepEqual((await created('/pods', { spec: given })).problems, problems);
    });
  }

  test('its container names are DNS labels', async () => {
    const { problems } = await make({ containers: [{ ...box, name: 'A_b' }] });
    assert.match(problems.join(), /^spec\.containers\[0\]\.name: Invalid value: "A_b": a lowercase RFC 1123 label/);
  });
});

describe('a new pod', () => {
  test('waits, acts as the default service account and has a class', async () => {
    const { object } = await make();
    assert.deepEqual(object.status, { phase: 'Pending', qosClass: 'BestEffort' });
    assert.equal(object.spec?.serviceAccountName, 'default');
    assert.equal(object.spec?.serviceAccount, 'default');
    assert.equal((object.spec?.containers?.[0] as { imagePullPolicy?: string }).imagePullPolicy, 'IfNotPresent');
  });

  test('says so when it waits at a gate', async () => {
    const { object } = await make({ schedulingGates: [{ name: 'g' }] });
    assert.deepEqual(object.status?.conditions, [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastTransitionTime: now,
      },
    ]);
  });
});

interface Change {
  readonly why: string;
  readonly from?: Record<string, unknown>;
  readonly to: Record<string, unknown>;
  readonly problem?: RegExp;
}

const changes: readonly Change[] = [
  { why: 'nothing', to: {} },
  { why: 'an empty list instead of none', to: { tolerations: [] } },
  { why: 'another image', to: { containers: [{ ...box, image: 'a:2' }] } },
  {
    why: 'another command',
    to: { containers: [{ ...box, command: ['x'] }] },
    problem:
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`.*\nchanged: spec\.containers$/s,
  },
  { why: 'another node', to: { nodeName: 'n' }, problem: /changed: spec\.nodeName$/ },
  {
    why: 'one more container',
    to: { containers: [box, { ...box, name: 'b' }] },
    problem: /^spec\.containers: Forbidden: pod updates may not add or remove containers$/,
  },
  { why: 'a first deadline', to: { activeDeadlineSeconds: 5 } },
  { why: 'an earlier deadline', from: { activeDeadlineSeconds: 5 }, to: { activeDeadlineSeconds: 4 } },
  {
    why: 'a later deadline',
    from: { activeDeadlineSeconds: 5 },
    to: { activeDeadlineSeconds: 6 },
    problem: /must be less than or equal to previous value$/,
  },
  {
    why: 'no deadline any more',
    from: { activeDeadlineSeconds: 5 },
    to: { activeDeadlineSeconds: undefined },
    problem: /must not update from a positive integer to nil value$/,
  },
  {
    why: 'one more toleration',
    from: { tolerations: [{ key: 'a' }] },
    to: { tolerations: [{ key: 'a' }, { key: 'b' }] },
  },
  {
    why: 'one toleration less',
    from: { tolerations: [{ key: 'a' }] },
    to: { tolerations: [] },
    problem: /^spec\.tolerations: Forbidden: existing toleration can not be modified/,
  },
  {
    why: 'a longer end',
    to: { terminationGracePeriodSeconds: 60 },
    problem: /changed: spec\.terminationGracePeriodSeconds$/,
  },
  { why: 'a gate less', from: { schedulingGates: [{ name: 'g' }] }, to: { schedulingGates: [] } },
  {
    why: 'a new gate',
    to: { schedulingGates: [{ name: 'g' }] },
    problem: /only deletion is allowed, but found new scheduling gate 'g'$/,
  },
  { why: 'fewer nodes behind a gate', from: { schedulingGates: [{ name: 'g' }] }, to: { nodeSelector: { a: 'b' } } },
  { why: 'fewer nodes', to: { nodeSelector: { a: 'b' } }, problem: /changed: spec\.nodeSelector$/ },
];

describe('an update of a pod', () => {
  for (const { why, from = {}, to, problem } of changes) {
    test(`${problem === undefined ? 'may' : 'may not'} ask for ${why}`, async () => {
      const { object: live } = await make(from);
      const { problems } = await updated('/pods', live, pod => {
        pod.spec = { ...pod.spec, ...to };
      });
      if (problem === undefined) assert.deepEqual(problems, []);
      else assert.match(problems.join(), problem);
    });
  }

  test('of its status keeps the class and a phase', async () => {
    const live = { spec: {}, status: { qosClass: 'Burstable' } } as unknown as Pod;
    const pod = { ...live, status: { podIP: '10.0.0.1' } } as unknown as Pod;
    await podBehaviour.prepareStatus?.(pod, live, {} as never);
    assert.deepEqual(pod.status, { podIP: '10.0.0.1', phase: 'Pending', qosClass: 'Burstable' });
  });
});

describe('the time that a pod has to end', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>, number])[] = [
    ['is nothing without a node', {}, {}, 0],
    ['is half a minute', { nodeName: 'n' }, { phase: 'Running' }, 30],
    ['is its own', { nodeName: 'n', terminationGracePeriodSeconds: 5 }, {}, 5],
    ['is nothing when it succeeded', { nodeName: 'n' }, { phase: 'Succeeded' }, 0],
    ['is nothing when it failed', { nodeName: 'n' }, { phase: 'Failed' }, 0],
  ];
  for (const [why, given, status, expected] of cases) {
    test(why, () => {
      assert.equal(podBehaviour.gracePeriodSeconds?.({ spec: given, status } as unknown as Pod), expected);
    });
  }
});
