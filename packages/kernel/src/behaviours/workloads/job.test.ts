import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { JobSpec } from './job.ts';
import { type Case, created, uid, updated } from './test-writes.ts';

type Job = KubeObject & { spec: JobSpec; status?: { startTime?: string } };

const pod = { containers: [{ name: 'a', image: 'a:1' }], restartPolicy: 'Never' };
const template = { spec: pod };
const make = (more: Record<string, unknown> = {}) => created<Job>('batch/jobs', { spec: { template, ...more } });

const cases: readonly Case[] = [
  { why: 'a plain one', spec: { template } },
  {
    why: 'pods that are always restarted',
    spec: { template: { spec: { ...pod, restartPolicy: 'Always' } } },
    problems: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    why: 'pods that say nothing of it',
    spec: { template: { spec: { ...pod, restartPolicy: undefined } } },
    problems: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    why: 'a selector of its own without saying so',
    spec: { template, selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'other' } } },
    problems: [
      'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":"other"}}: `selector` not auto-generated',
    ],
  },
  {
    why: 'a selector of its own',
    spec: {
      manualSelector: true,
      selector: { matchLabels: { a: 'b' } },
      template: { ...template, metadata: { labels: { a: 'b' } } },
    },
  },
  {
    why: 'a selector of its own that is missing',
    spec: { manualSelector: true, template },
    problems: ['spec.selector: Required value'],
  },
  {
    why: 'a selector of its own for other pods',
    spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template },
    problems: ['spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
  },
  {
    why: 'numbers without an end',
    spec: { template, completionMode: 'Indexed', parallelism: 2 },
    problems: ['spec.completions: Required value: when completion mode is Indexed'],
  },
];

describe('the rules of a job', () => {
  for (const { why, spec, problems = [] } of cases) {
    test(why, async () => assert.deepEqual((await created('batch/jobs', { spec })).problems, problems));
  }
});

describe('a new job', () => {
  test('knows its pods by its UID and has their labels', async () => {
    const { object } = await make();
    const expected = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': uid,
      'job-name': 'x',
    };
    assert.deepEqual(object.spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    assert.deepEqual(object.spec.template?.metadata?.labels, expected);
    assert.deepEqual(object.metadata.labels, expected);
  });

  const sizes: readonly (readonly [object, number | undefined, number])[] = [
    [{}, 1, 1],
    [{ parallelism: 2 }, undefined, 2],
    [{ parallelism: 1 }, undefined, 1],
    [{ completions: 3 }, 3, 1],
  ];
  for (const [given, completions, parallelism] of sizes) {
    test(`of ${JSON.stringify(given)} has ${completions} completions, ${parallelism} at a time`, async () => {
      const { object } = await make({ ...given });
      assert.equal(object.spec.completions, completions);
      assert.equal(object.spec.parallelism, parallelism);
      assert.equal(object.spec.suspend, false);
    });
  }
});

interface Change {
  readonly why: string;
  readonly from?: Record<string, unknown>;
  readonly change: (spec: JobSpec) => void;
  readonly problem?: RegExp;
}

const changes: readonly Change[] = [
  { why: 'be suspended', change: spec => (spec.suspend = true) },
  { why: 'run more at a time', change: spec => (spec.parallelism = 4) },
  {
    why: 'do more',
    change: spec => (spec.completions = 4),
    problem: /^spec\.completions: Invalid value: 4: field is immutable$/,
  },
  {
    why: 'do more of what is numbered, all at once',
    from: { completionMode: 'Indexed', completions: 2, parallelism: 2 },
    change: spec => Object.assign(spec, { completions: 4, parallelism: 4 }),
  },
  {
    why: 'choose other pods',
    change: spec => (spec.selector = { matchLabels: { 'controller-uid': uid } }),
    problem: /^spec\.selector: .*field is immutable$/,
  },
  {
    why: 'run something else',
    change: spec => (spec.template = { ...spec.template, spec: { ...pod, hostname: 'h' } }),
    problem: /^spec\.template: .*field is immutable$/,
  },
  {
    why: 'run elsewhere before it starts',
    from: { suspend: true },
    change: spec => (spec.template = { ...spec.template, spec: { ...spec.template?.spec, nodeSelector: { a: 'b' } } }),
  },
  {
    why: 'run elsewhere',
    change: spec => (spec.template = { ...spec.template, spec: { ...spec.template?.spec, nodeSelector: { a: 'b' } } }),
    problem: /^spec\.template: /,
  },
];

describe('an update of a job', () => {
  for (const { why, from = {}, change, problem } of changes) {
    test(`${problem === undefined ? 'may' : 'may not'} make it ${why}`, async () => {
      const { object: live } = await make(from);
      const { problems } = await updated('batch/jobs', live, job => {
        change(job.spec);
      });
      if (problem === undefined) assert.deepEqual(problems, []);
      else assert.match(problems.join(), problem);
    });
  }
});

describe('a cron job', () => {
  const schedule = '*/5 * * * *';
  const jobTemplate = { spec: { template } };
  const field = 'spec.jobTemplate.spec';
  const rules: readonly Case[] = [
    { why: 'a plain one', spec: { schedule, jobTemplate } },
    { why: 'no schedule', spec: { schedule: '', jobTemplate }, problems: ['spec.schedule: Required value'] },
    {
      why: 'four fields',
      spec: { schedule: '* * * *', jobTemplate },
      problems: ['spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
    },
    { why: 'a time zone', spec: { schedule, jobTemplate, timeZone: 'Europe/Berlin' } },
    {
      why: 'a time zone that is none',
      spec: { schedule, jobTemplate, timeZone: 'Mars/Base' },
      problems: ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    },
    {
      why: 'jobs with a selector',
      spec: { schedule, jobTemplate: { spec: { template, selector: { matchLabels: {} }, manualSelector: true } } },
      problems: [
        `${field}.selector: Invalid value: {"matchLabels":{}}: \`selector\` will be auto-generated`,
        `${field}.manualSelector: Unsupported value: true: supported values: "nil", "false"`,
      ],
    },
    {
      why: 'jobs that never end',
      spec: { schedule, jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Always' } } } } },
      problems: [`${field}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`],
    },
  ];
  for (const { why, spec, problems = [] } of rules) {
    test(why, async () => assert.deepEqual((await created('batch/cronjobs', { spec })).problems, problems));
  }

  test('has a name that leaves room for those of its jobs', async () => {
    const { problems } = await created('batch/cronjobs', { spec: { schedule, jobTemplate } }, { name: 'x'.repeat(53) });
    assert.match(problems.join(), /must be no more than 52 characters$/);
  });
});
