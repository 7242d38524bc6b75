import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Case, created, updated } from './test-writes.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
const base = { selector: { matchLabels: labels }, template };
const resources = ['apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'apps/daemonsets'] as const;
const kinds: Readonly<Record<string, string>> = {
  'apps/deployments': 'Deployment',
  'apps/replicasets': 'ReplicaSet',
  'apps/statefulsets': 'StatefulSet',
  'apps/daemonsets': 'DaemonSet',
};

for (const resource of resources) {
  const kind = kinds[resource] ?? '';
  const cases: readonly Case[] = [
    { why: 'a plain one', spec: base },
    {
      why: 'labels that the selector does not choose',
      spec: { ...base, template: { ...template, metadata: { labels: { app: 'db' } } } },
      problems: [
        'spec.template.metadata.labels: Invalid value: {"app":"db"}: `selector` does not match template `labels`',
      ],
    },
    {
      why: 'an empty selector',
      spec: { ...base, selector: {} },
      problems: [`spec.selector: Invalid value: {}: empty selector is invalid for ${kind.toLowerCase()}`],
    },
    {
      why: 'pods that end',
      spec: {
        ...base,
        template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 3 } },
      },
      problems: [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind} is not Supported`,
      ],
    },
    {
      why: 'containers without an image',
      spec: { ...base, template: { ...template, spec: { containers: [{ name: 'a' }] } } },
      problems: ['spec.template.spec.containers[0].image: Required value'],
    },
  ];
  describe(`a ${kind}`, () => {
    for (const { why, spec, problems = [] } of cases) {
      test(why, async () => assert.deepEqual((await created(resource, { spec })).problems, problems));
    }

    test('without a selector is rejected', async () => {
      assert.match(
        (await created(resource, { spec: { template } })).problems.join(),
        /^spec\.selector: Required value/,
      );
    });

    test('with a selector that is none is rejected', async () => {
      const selector = { matchExpressions: [{ key: 'app', operator: 'In' }] };
      assert.match(
        (await created(resource, { spec: { ...base, selector } })).problems.join(),
        /^spec\.selector: Invalid value/,
      );
    });

    test('keeps its selector', async () => {
      const { object: live } = await created<KubeObject>(resource, { spec: base });
      const both = { app: 'web', tier: 'a' };
      const { problems } = await updated(resource, live, object => {
        object['spec'] = {
          ...base,
          selector: { matchLabels: both },
          template: { ...template, metadata: { labels: both } },
        };
      });
      const pattern =
        kind === 'StatefulSet'
          ? /^spec: Forbidden: updates to statefulset spec/
          : /^spec\.selector: .*: field is immutable$/;
      assert.match(problems.join(), pattern);
    });

    test('may get another template', async () => {
      const { object: live } = await created<KubeObject>(resource, { spec: base });
      const { problems } = await updated(resource, live, object => {
        object['spec'] = { ...base, template: { ...template, spec: { containers: [{ name: 'a', image: 'a:2' }] } } };
      });
      assert.deepEqual(problems, []);
    });
  });
}

const rolling = 'spec.strategy.rollingUpdate';
const deployments: readonly Case[] = [
  { why: 'recreates', spec: { strategy: { type: 'Recreate' } } },
  {
    why: 'recreates bit by bit',
    spec: { strategy: { type: 'Recreate', rollingUpdate: {} } },
    problems: [`${rolling}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
  },
  {
    why: 'cannot move',
    spec: { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } },
    problems: [`${rolling}.maxUnavailable: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`],
  },
  {
    why: 'more than all',
    spec: { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
    problems: [`${rolling}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`],
  },
  {
    why: 'less than none',
    spec: { strategy: { rollingUpdate: { maxSurge: -1 } } },
    problems: [`${rolling}.maxSurge: Invalid value: -1: must be greater than or equal to 0`],
  },
  {
    why: 'gives up before it is ready',
    spec: { minReadySeconds: 600 },
    problems: ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
  },
];

describe('the strategy of a Deployment', () => {
  for (const { why, spec, problems = [] } of deployments) {
    test(why, async () => {
      assert.deepEqual((await created('apps/deployments', { spec: { ...base, ...spec } })).problems, problems);
    });
  }

  test('is not a number of pods below zero', async () => {
    const { problems } = await created('apps/deployments', { spec: { ...base, replicas: -1 } });
    assert.match(problems.join(), /^spec\.replicas: /);
  });
});

describe('a StatefulSet', () => {
  const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
  const mounted = {
    ...template,
    spec: { containers: [{ name: 'a', image: 'a:1', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
  };

  test('mounts the claims that it will make, and shows them whole', async () => {
    const { object, problems } = await created<KubeObject & { spec: { volumeClaimTemplates: KubeObject[] } }>(
      'apps/statefulsets',
      {
        spec: { ...base, template: mounted, volumeClaimTemplates: claims },
      },
    );
    assert.deepEqual(problems, []);
    const [claim] = object.spec.volumeClaimTemplates;
    assert.equal(claim?.kind, 'PersistentVolumeClaim');
    assert.deepEqual(claim?.['status'], { phase: 'Pending' });
  });

  test('keeps the name of its service but not its size', async () => {
    const { object: live } = await created<KubeObject>('apps/statefulsets', { spec: { ...base, serviceName: 's' } });
    const change = (more: object) =>
      updated('apps/statefulsets', live, object => Object.assign(object['spec'] as object, more));
    assert.deepEqual((await change({ replicas: 3 })).problems, []);
    assert.match((await change({ serviceName: 't' })).problems.join(), /^spec: Forbidden/);
  });
});

describe('a DaemonSet', () => {
  const field = 'spec.updateStrategy.rollingUpdate';
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    ['surges', { maxSurge: 1, maxUnavailable: 0 }, []],
    [
      'does not both',
      { maxSurge: 1, maxUnavailable: 1 },
      [`${field}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`],
    ],
    [
      'does one of both',
      { maxSurge: 0, maxUnavailable: 0 },
      [`${field}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
    ],
  ];
  for (const [why, rollingUpdate, problems] of cases) {
    test(why, async () => {
      const spec = { ...base, updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
      assert.deepEqual((await created('apps/daemonsets', { spec })).problems, problems);
    });
  }
});

describe('a ReplicationController', () => {
  test('chooses the pods that it makes', async () => {
    const { object, problems } = await created<KubeObject & { spec: { selector: object } }>('/replicationcontrollers', {
      spec: { template },
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(object.spec.selector, labels);
  });

  test('without a template is rejected', async () => {
    assert.deepEqual((await created('/replicationcontrollers', { spec: { selector: labels } })).problems, [
      'spec.template: Required value',
    ]);
  });
});
