import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, KubeObject } from '@chandlery/api';
import { type InitState, isFailureShown, pauseBeforeRetryMs, readInit } from './init-state.ts';
import { logTail } from './log-tail.ts';
import { remainingText, stayText } from './remaining.ts';
import { readRollout } from './rollout.ts';
import { storedProvider } from './test-provider.ts';

const now = new Date('2030-01-01T12:00:00Z');
const minutes = (count: number): number => count * 60_000;
const ago = (ms: number): Date => new Date(now.getTime() - ms);

interface JobParts {
  readonly generation?: string;
  readonly owner?: string;
  readonly conditions?: Condition[];
  readonly failed?: number;
  readonly deletionTimestamp?: string;
}

const job = ({
  generation = '3',
  owner = 'uid-1',
  conditions = [],
  failed = 0,
  deletionTimestamp,
}: JobParts): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'sp-foo-init',
    annotations: { 'openmcp.cloud/provider-generation': generation },
    ownerReferences: [{ apiVersion: 'openmcp.cloud/v1alpha1', kind: 'ServiceProvider', name: 'foo', uid: owner }],
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
  status: { conditions, failed },
});

describe('What is known of init', () => {
  const failed: Condition = {
    type: 'Failed',
    status: 'True',
    reason: 'DeadlineExceeded',
    lastTransitionTime: now.toISOString(),
  };
  const table: readonly { why: string; parts: JobParts | undefined; state: InitState }[] = [
    { why: 'no job', parts: undefined, state: { type: 'absent' } },
    { why: 'a job without conditions', parts: {}, state: { type: 'running', failures: 0 } },
    { why: 'a job some of whose pods failed', parts: { failed: 2 }, state: { type: 'running', failures: 2 } },
    { why: 'another generation', parts: { generation: '2' }, state: { type: 'outdated' } },
    { why: 'another provider of the name', parts: { owner: 'uid-0' }, state: { type: 'outdated' } },
    {
      why: 'a job that is being deleted',
      parts: { generation: '2', deletionTimestamp: now.toISOString() },
      state: { type: 'leaving' },
    },
    {
      why: 'a complete job',
      parts: { conditions: [{ type: 'Complete', status: 'True' }] },
      state: { type: 'succeeded' },
    },
    {
      why: 'a failed job',
      parts: { conditions: [failed] },
      state: { type: 'failed', because: 'DeadlineExceeded', failedAt: now },
    },
    {
      why: 'a complete job of before',
      parts: { generation: '2', conditions: [{ type: 'Complete', status: 'True' }] },
      state: { type: 'outdated' },
    },
  ];
  for (const { why, parts, state } of table) {
    it(why, () => {
      assert.deepEqual(readInit(storedProvider(), parts === undefined ? undefined : job(parts), now), state);
    });
  }
});

describe('A failed init', () => {
  const failing = (since: Date, reason = 'InitFailed', observedGeneration = 3) => {
    const provider = storedProvider();
    const lastTransitionTime = since.toISOString();
    provider.status = {
      conditions: [{ type: 'Initialized', status: 'False', reason, lastTransitionTime, observedGeneration }],
    };
    return provider;
  };

  it('is tried again five minutes after it failed first', () => {
    assert.equal(pauseBeforeRetryMs(failing(ago(minutes(2))), ago(minutes(1)), now), minutes(4));
  });

  it('is tried again after as long as it has been failing', () => {
    assert.equal(pauseBeforeRetryMs(failing(ago(minutes(40))), now, now), minutes(40));
  });

  it('is tried at once when its time has come, and at least daily', () => {
    assert.equal(pauseBeforeRetryMs(failing(ago(minutes(20))), ago(minutes(15)), now), 0);
    assert.equal(pauseBeforeRetryMs(failing(ago(minutes(60 * 24 * 30))), now, now), minutes(60 * 24));
  });

  it('is shown for the generation in which it failed', () => {
    assert.equal(isFailureShown(failing(now)), true);
    assert.equal(isFailureShown(failing(now, 'InitRunning')), false);
    assert.equal(isFailureShown(failing(now, 'InitFailed', 2)), false);
  });
});

describe('The end of a log', () => {
  it('has ten lines at most', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    assert.equal(logTail(`${lines.join('\n')}\n\n`), lines.slice(20).join('\n'));
  });

  it('has one KiB at most, and no half characters', () => {
    const tail = logTail('é'.repeat(1000).concat('x'));
    assert.ok(Buffer.byteLength(tail) <= 1024);
    assert.match(tail, /^é+x$/);
  });
});

describe('A rollout', () => {
  const deployment = (status: object, conditions: Condition[] = []): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'sp-foo', generation: 2 },
    spec: { replicas: 2 },
    status: { ...status, conditions },
  });
  const up = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  const stuck: Condition = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
  const table: readonly { why: string; live: KubeObject; reason: string }[] = [
    { why: 'all replicas are new and available', live: deployment(up), reason: 'RolloutComplete' },
    { why: 'the change is not seen', live: deployment({ ...up, observedGeneration: 1 }), reason: 'RolloutProgressing' },
    { why: 'old replicas remain', live: deployment({ ...up, replicas: 3 }), reason: 'RolloutProgressing' },
    {
      why: 'replicas are not available',
      live: deployment({ ...up, availableReplicas: 1 }),
      reason: 'RolloutProgressing',
    },
    { why: 'nothing is known', live: deployment({}), reason: 'RolloutProgressing' },
    { why: 'it gave up', live: deployment({ ...up, availableReplicas: 1 }, [stuck]), reason: 'RolloutFailed' },
  ];
  for (const { why, live, reason } of table) it(why, () => assert.equal(readRollout(live).reason, reason));

  it('names old replicas when it waits for nothing else', () => {
    const { message } = readRollout(deployment({ ...up, replicas: 3, availableReplicas: 3 }));
    const waiting = 'the new version is available, and 1 of the replicas before have not ended';
    assert.equal(message, `Deployment sp-foo is not ready: ${waiting}; see its pods.`);
  });
});

it('What remains is named by kind, number and first names, always in the same order', () => {
  const names = ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map(name => `ns/${name}`);
  const foos = { kind: 'Foo', count: 7, names };
  const bars = { kind: 'Bar', count: 1, names: ['x'] };
  const text = '1 Bar (x), 7 Foo (ns/a, ns/b, ns/c, ns/d, ns/e, …)';
  assert.equal(remainingText([foos, bars]), text);
  assert.equal(remainingText([bars, foos]), text);
});

it('Operators are asked to delete what is of tenants, not what goes by itself', () => {
  const foos = { kind: 'Foo', count: 1, names: ['default/a'] };
  const configs = { kind: 'ProviderConfig', count: 1, names: ['foo'], isOwn: true };
  assert.equal(
    stayText([configs, foos]),
    'The provider stays until these are deleted: 1 Foo (default/a); delete them first.',
  );
  assert.equal(
    stayText([configs]),
    'The provider is not used any more; it removes what these stand for: 1 ProviderConfig (foo).',
  );
});
