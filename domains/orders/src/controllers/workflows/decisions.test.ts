import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkflowRecord } from '../../kinds/workflows/index.ts';
import { surplusWorkflows } from '../cron/history-limits.ts';
import { RunningLimits } from './running-limits.ts';
import { touchIntervalMs } from './settings.ts';
import { referencedTemplates } from './stored-templates.ts';
import { deletionTime } from './time-to-live.ts';

const record = (uid: string, more: Partial<WorkflowRecord> & { readonly namespace?: string } = {}): WorkflowRecord => ({
  apiVersion: 'workflows.chandlery.io/v1alpha1',
  kind: 'WorkflowRecord',
  metadata: { uid, name: uid, namespace: more.namespace ?? 'a', creationTimestamp: `2026-01-01T00:00:0${uid.length}Z` },
  spec: more.spec ?? {},
  ...(more.status && { status: more.status }),
});

describe('Limits of running workflows', () => {
  it('let the highest priority go first, then the oldest', () => {
    const limits = new RunningLimits({ maxRunning: 1 });
    assert.ok(limits.admit(record('x')));
    assert.ok(!limits.admit(record('xx')));
    assert.ok(!limits.admit(record('xxx')));
    assert.ok(!limits.admit(record('urgent', { spec: { priority: 5 } })));
    assert.equal(limits.leave('x'), 'urgent');
    assert.ok(!limits.admit(record('xx')));
    assert.ok(limits.admit(record('urgent', { spec: { priority: 5 } })));
    assert.equal(limits.leave('urgent'), 'xx');
  });

  it('hold for each namespace, and a full one does not hold up others', () => {
    const limits = new RunningLimits({ maxRunningPerNamespace: 1 });
    assert.ok(limits.admit(record('x')));
    assert.ok(!limits.admit(record('xx')));
    assert.ok(limits.admit(record('y', { namespace: 'b' })));
    assert.equal(limits.leave('x'), 'xx');
  });
});

describe('The time to live', () => {
  const finishedAt = '2026-01-01T00:00:00Z';
  const start = Date.parse(finishedAt);
  const rows = [
    { why: 'nothing is asked for', ttlStrategy: {}, phase: 'Succeeded', wanted: undefined },
    { why: 'every end counts', ttlStrategy: { secondsAfterCompletion: 5 }, phase: 'Failed', wanted: start + 5000 },
    {
      why: 'a success has its own',
      ttlStrategy: { secondsAfterCompletion: 5, secondsAfterSuccess: 1 },
      phase: 'Succeeded',
      wanted: start + 1000,
    },
    {
      why: 'a failure has its own',
      ttlStrategy: { secondsAfterSuccess: 1, secondsAfterFailure: 0 },
      phase: 'Error',
      wanted: start,
    },
  ];
  for (const { why, ttlStrategy, phase, wanted } of rows)
    it(`ends when ${why}`, () =>
      assert.equal(deletionTime({ spec: { ttlStrategy }, status: { phase, finishedAt } }), wanted));
});

describe('The interval at which a Workflow is written', () => {
  it('is none for small workflows, and bounded for large ones', () => {
    assert.equal(touchIntervalMs(10), 0);
    assert.equal(touchIntervalMs(1000), 500);
    assert.equal(touchIntervalMs(1_000_000), 5000);
  });
});

describe('Templates that a workflow refers to', () => {
  it('are found through other templates, once', () => {
    const spec = (name: string) => ({ templates: [{ steps: [[{ templateRef: { name, template: 't' } }]] }] });
    const stored: Record<string, object> = { one: spec('two'), two: spec('one') };
    const find = (name: string) =>
      stored[name] && {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'WorkflowTemplate',
        metadata: { name },
        spec: stored[name],
      };
    const found = referencedTemplates({ workflowTemplateRef: { name: 'one' } }, find);
    assert.deepEqual(Object.keys(found).sort(), ['namespace/one', 'namespace/two']);
  });
});

describe('The history of a CronWorkflow', () => {
  it('keeps the latest successes and failures, and everything that runs', () => {
    const ended = (uid: string, phase: string, finishedAt: string) => record(uid, { status: { phase, finishedAt } });
    const workflows = [
      ended('old', 'Succeeded', '2026-01-01'),
      ended('new', 'Succeeded', '2026-01-02'),
      ended('bad', 'Failed', '2026-01-01'),
      ended('worse', 'Error', '2026-01-02'),
      record('running', { status: { phase: 'Running' } }),
    ];
    const surplus = surplusWorkflows({ spec: { successfulJobsHistoryLimit: 1 } }, workflows);
    assert.deepEqual(
      surplus.map(({ metadata }) => metadata.uid),
      ['old', 'bad'],
    );
  });
});
