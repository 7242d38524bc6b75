import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PodSpec } from './pod.ts';
import { isOver } from './pod-status.ts';
import { named, TestSituation } from './test-situation.ts';

const main = named('main');
const sidecar = named('side', { restartPolicy: 'Always' });
const spec = (more: Partial<PodSpec> = {}): PodSpec => ({ containers: [main], ...more });
const never = spec({ restartPolicy: 'Never' });

describe('a pod', () => {
  type Play = (pod: TestSituation) => void;
  const cases: readonly { why: string; spec: PodSpec; play: Play; expected: string }[] = [
    { why: 'runs at once', spec: spec(), play: () => {}, expected: 'Running Running' },
    { why: 'succeeds with its container', spec: never, play: p => p.exit('main', 0), expected: 'Succeeded Completed' },
    { why: 'fails with its container', spec: never, play: p => p.exit('main', 2), expected: 'Failed Error' },
    {
      why: 'is restarted at once the first time',
      spec: spec(),
      play: p => p.exit('main', 1),
      expected: 'Running Running',
    },
    {
      why: 'waits before the second restart',
      spec: spec(),
      play: p => {
        p.exit('main', 1);
        p.exit('main', 1);
      },
      expected: 'Running CrashLoopBackOff',
    },
    {
      why: 'is back after ten seconds',
      spec: spec(),
      play: p => {
        p.exit('main', 1);
        p.exit('main', 1);
        p.pass(10);
      },
      expected: 'Running Running',
    },
    {
      why: 'also restarts what succeeded, if always',
      spec: spec(),
      play: p => {
        p.exit('main', 0);
        p.exit('main', 0);
      },
      expected: 'Running CrashLoopBackOff',
    },
    {
      why: 'stays complete on failure only',
      spec: spec({ restartPolicy: 'OnFailure' }),
      play: p => p.exit('main', 0),
      expected: 'Succeeded Completed',
    },
    {
      why: 'tries again on failure',
      spec: spec({ restartPolicy: 'OnFailure' }),
      play: p => p.exit('main', 1),
      expected: 'Running Running',
    },
    {
      why: 'initialises first',
      spec: spec({ initContainers: [named('i')] }),
      play: () => {},
      expected: 'Pending Running PodInitializing',
    },
    {
      why: 'continues when initialised',
      spec: spec({ initContainers: [named('i')] }),
      play: p => p.exit('i', 0),
      expected: 'Running Completed Running',
    },
    {
      why: 'fails with its init container',
      spec: { ...never, initContainers: [named('i')] },
      play: p => p.exit('i', 1),
      expected: 'Failed Error PodInitializing',
    },
    {
      why: 'retries an init container that failed',
      spec: spec({ initContainers: [named('i')] }),
      play: p => {
        p.exit('i', 1);
        p.exit('i', 1);
      },
      expected: 'Pending CrashLoopBackOff PodInitializing',
    },
    {
      why: 'keeps a sidecar beside the others',
      spec: spec({ initContainers: [sidecar] }),
      play: () => {},
      expected: 'Running Running Running',
    },
    {
      why: 'restarts a sidecar',
      spec: { ...never, initContainers: [sidecar] },
      play: p => p.exit('side', 0),
      expected: 'Running Running Running',
    },
    {
      why: 'ends its sidecars after the work',
      spec: { ...never, initContainers: [sidecar] },
      play: p => {
        p.exit('main', 0);
        p.exit('side', 143);
      },
      expected: 'Succeeded Error Completed',
    },
    {
      why: 'has ended when stopped',
      spec: spec(),
      play: p => {
        p.stop(30);
        p.exit('main', 0);
      },
      expected: 'Succeeded Completed',
    },
    {
      why: 'is killed when its grace period has expired',
      spec: spec(),
      play: p => {
        p.stop(30);
        p.pass(30);
      },
      expected: 'Failed Error',
    },
    {
      why: 'fails at its deadline',
      spec: { ...never, activeDeadlineSeconds: 5, terminationGracePeriodSeconds: 1 },
      play: p => {
        p.pass(5);
        p.pass(1);
      },
      expected: 'Failed Error',
    },
    {
      why: 'keeps its success after the deadline',
      spec: { ...never, activeDeadlineSeconds: 5 },
      play: p => {
        p.exit('main', 0);
        p.pass(9);
      },
      expected: 'Succeeded Completed',
    },
    {
      why: 'is stopped while it waits',
      spec: spec(),
      play: p => {
        p.exit('main', 1);
        p.exit('main', 1);
        p.stop(1);
      },
      expected: 'Failed Error',
    },
    {
      why: 'restarts one container and leaves the other alone',
      spec: spec({ containers: [main, named('b')] }),
      play: p => p.exit('b', 1),
      expected: 'Running Running Running',
    },
  ];
  for (const { why, spec: podSpec, play, expected } of cases) {
    test(why, () => {
      const pod = new TestSituation(podSpec);
      play(pod);
      assert.equal(pod.summary, expected);
    });
  }

  test('waits twice as long each time, up to five minutes, and is forgiven after ten', () => {
    const pod = new TestSituation(spec());
    const waits: number[] = [];
    for (let crash = 0; crash < 9; crash++) {
      pod.exit('main', 1);
      const { requeueAtMs } = pod.decision;
      const seconds = requeueAtMs === undefined ? 0 : (requeueAtMs - pod.nowMs) / 1000;
      waits.push(seconds);
      pod.pass(seconds);
    }
    assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300, 300]);
    pod.pass(600);
    pod.exit('main', 1);
    assert.equal(pod.summary, 'Running Running');
    assert.equal(pod.decision.status.containerStatuses[0]?.restartCount, 10);
  });

  test('a deadline after the end causes no requeue', () => {
    const pod = new TestSituation({ ...never, activeDeadlineSeconds: 5 });
    assert.equal((pod.decision.requeueAtMs ?? 0) - pod.nowMs, 5000);
    pod.exit('main', 0);
    pod.pass(9);
    assert.equal(pod.decision.requeueAtMs, undefined);
  });

  test('an image that cannot be had is an error, then a wait, then an error again', () => {
    const pod = new TestSituation(spec({ initContainers: [named('i')] }));
    pod.missing.add('main');
    pod.exit('i', 0);
    assert.equal(pod.summary, 'Pending Completed ErrImagePull');
    pod.pass(5);
    assert.equal(pod.summary, 'Pending Completed ImagePullBackOff');
    pod.pass(5);
    assert.equal(pod.summary, 'Pending Completed ErrImagePull');
    assert.equal((pod.decision.requeueAtMs ?? 0) - pod.nowMs, 10_000);
    pod.missing.clear();
    pod.pass(20);
    assert.equal(pod.summary, 'Running Completed Running');
  });

  test('liveness restarts after its threshold of failures in a row, by preStop, SIGTERM and SIGKILL', () => {
    const livenessProbe = { failureThreshold: 2, initialDelaySeconds: 5, periodSeconds: 3, exec: {} };
    const lifecycle = { preStop: { exec: {} } };
    const pod = new TestSituation(spec({ containers: [named('main', { livenessProbe, lifecycle })] }));
    pod.done.length = 0;
    pod.pass(4);
    assert.deepEqual(pod.done, []);
    pod.pass(1);
    for (const ok of [false, true, false]) {
      pod.answer('main', 'liveness', ok);
      pod.pass(3);
    }
    assert.deepEqual(pod.done, Array(4).fill('probe main'));
    pod.answer('main', 'liveness', false);
    assert.deepEqual(pod.done.slice(4), ['stop main', 'preStop main']);
    pod.pass(30);
    assert.deepEqual(pod.done.slice(6), ['kill main', 'prepare main', 'start main']);
  });

  test('readiness waits for startup, and a stop ends it', () => {
    const probes = { startupProbe: { exec: {} }, readinessProbe: { exec: {}, successThreshold: 2 } };
    const pod = new TestSituation(spec({ containers: [named('main', probes)] }));
    const flags = (): unknown => {
      const [status] = pod.decision.status.containerStatuses;
      return [status?.started, status?.ready];
    };
    assert.deepEqual(flags(), [false, false]);
    pod.answer('main', 'startup', true);
    assert.deepEqual(flags(), [true, false]);
    pod.answer('main', 'readiness', true);
    pod.pass(10);
    pod.answer('main', 'readiness', true);
    assert.deepEqual(flags(), [true, true]);
    assert.equal(
      pod.decision.status.conditions.every(({ status }) => status === 'True'),
      true,
    );
    pod.stop(30);
    assert.deepEqual(flags(), [true, false]);
  });

  test('a second order to stop can only shorten the grace', () => {
    const pod = new TestSituation(spec());
    pod.stop(30);
    pod.pass(1);
    pod.stop(60);
    assert.equal((pod.decision.requeueAtMs ?? 0) - pod.nowMs, 29_000);
    pod.stop(0);
    assert.equal(pod.summary, 'Failed Error');
  });

  test('conditions keep the time of their last change', () => {
    const pod = new TestSituation(spec({ initContainers: [named('i')] }));
    const ready = (): unknown => pod.decision.status.conditions.find(({ type }) => type === 'Ready');
    pod.pass(5);
    const initialized = pod.decision.status.conditions.find(({ type }) => type === 'Initialized');
    assert.deepEqual(
      [initialized?.reason, initialized?.message],
      ['ContainersNotInitialized', 'containers with incomplete status: [i]'],
    );
    pod.exit('i', 0);
    assert.deepEqual(ready(), { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z' });
    pod.pass(5);
    assert.deepEqual(ready(), { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z' });
  });

  test('continues the restart count of an earlier node process', () => {
    const before = new TestSituation(spec({ initContainers: [named('i')] }));
    before.exit('i', 0);
    before.exit('main', 1);
    const after = new TestSituation(before.pod.spec, before.decision.status);
    const [status] = after.decision.status.containerStatuses;
    assert.deepEqual([status?.restartCount, status?.lastState.terminated?.exitCode], [2, 137]);
    assert.deepEqual(after.done, ['prepare main', 'start main']);
  });
});

describe('whatever happens', () => {
  const policy = fc.constantFrom('Always', 'OnFailure', 'Never');
  const container = fc.record({ hasLiveness: fc.boolean(), hasHook: fc.boolean() });
  const pods = fc.record({
    policy,
    main: fc.array(container, { minLength: 1, maxLength: 3 }),
    inits: fc.nat(2),
    isSidecar: fc.boolean(),
  });
  const event = fc.oneof(
    fc.record({ type: fc.constant('exit' as const), target: fc.nat(5), code: fc.nat(2) }),
    fc.record({ type: fc.constant('pass' as const), seconds: fc.nat(400) }),
    fc.record({ type: fc.constant('probe' as const), target: fc.nat(5), ok: fc.boolean() }),
    fc.record({ type: fc.constant('stop' as const), grace: fc.nat(40) }),
  );

  test('one process per container, no life after the end, and phases only go forward', () => {
    fc.assert(
      fc.property(
        pods,
        fc.array(event, { maxLength: 25 }),
        ({ policy: restartPolicy, main: mains, inits, isSidecar }, events) => {
          const containers = mains.map(({ hasLiveness, hasHook }, index) =>
            named(`c${index}`, {
              ...(hasLiveness ? { livenessProbe: { exec: {}, failureThreshold: 1 } } : {}),
              ...(hasHook ? { lifecycle: { preStop: { exec: {} } } } : {}),
            }),
          );
          const initContainers = Array.from({ length: inits }, (_, index) =>
            named(`i${index}`, isSidecar && index === 0 ? { restartPolicy: 'Always' } : {}),
          );
          const pod = new TestSituation({ restartPolicy, containers, initContainers });
          const names = [...initContainers, ...containers].map(({ name }) => name);
          const rank = { Pending: 0, Running: 1, Succeeded: 2, Failed: 2 };
          let before = pod.decision.status;
          for (const happened of events) {
            const isEnd = isOver(before.phase);
            const doneBefore = pod.done.length;
            const running = new Set(names.filter(name => pod.observed.containers[name]?.running !== undefined));
            if (happened.type === 'pass') pod.pass(happened.seconds);
            else if (happened.type === 'stop') pod.stop(happened.grace);
            else {
              const name = names[happened.target % names.length] ?? '';
              if (happened.type === 'exit') {
                running.delete(name);
                pod.exit(name, happened.code);
              } else pod.answer(name, 'liveness', happened.ok);
            }
            for (const action of pod.done.slice(doneBefore)) {
              const [verb = '', name = ''] = action.split(' ');
              if (verb === 'kill') running.delete(name);
              if (verb !== 'start') continue;
              assert.equal(running.has(name), false, `${name} started twice`);
              running.add(name);
            }
            const { status } = pod.decision;
            assert.ok(rank[status.phase] >= rank[before.phase]);
            if (isEnd) assert.deepEqual([status.phase, pod.done.length], [before.phase, doneBefore]);
            before = status;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
