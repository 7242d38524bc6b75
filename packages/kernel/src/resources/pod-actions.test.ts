import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { isError } from '@chandlery/api';
import { ManualClock } from '@chandlery/platform';
import type { Pod } from '../behaviours/workloads/objects.ts';
import { Kernel } from '../kernel.ts';
import { soleLeader } from '../maintenance/leadership.ts';
import { openTestStore } from '../test-kernel.ts';
import { bindPod } from './bind-pod.ts';
import { createObject } from './create.ts';
import { evictPod } from './evict-pod.ts';
import { mutateObject } from './mutate.ts';
import { getObject } from './read.ts';
import type { Target, WriteOptions } from './request.ts';

const write: WriteOptions = { user: { username: 'test', groups: [] }, fieldManager: 'test' };
const cipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
const now = new Date('2026-01-02T03:04:05Z');

async function startKernel() {
  await using stack = new AsyncDisposableStack();
  const { store } = stack.use(await openTestStore());
  const onFailure = (what: string, error: unknown) => assert.fail(`${what}: ${error}`);
  const kernel = stack.use(
    new Kernel({ store, cipher, leadership: soleLeader, clock: new ManualClock(now), onFailure }),
  );
  await kernel.start();
  const scope = stack.move();
  const target = async (group: string, plural: string, name = ''): Promise<Target> => {
    const found = await kernel.target('onboarding', { group, version: 'v1', plural, namespace: 'default', name });
    assert.ok(found !== undefined);
    return found;
  };
  const { deps } = kernel;
  const makePod = async (spec: object = {}, name = 'p'): Promise<Target> => {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a:1' }], ...spec },
    };
    await createObject(deps, await target('', 'pods'), write, body);
    return target('', 'pods', name);
  };
  const makeNode = async (): Promise<void> => {
    const node = await kernel.target('onboarding', { group: '', version: 'v1', plural: 'nodes', name: '' });
    assert.ok(node !== undefined);
    await createObject(deps, node, write, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  };
  const makeBudget = async (status?: object, spec: object = {}, name = 'b'): Promise<Target> => {
    const body = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } }, ...spec },
    };
    await createObject(deps, await target('policy', 'poddisruptionbudgets'), write, body);
    const budget = await target('policy', 'poddisruptionbudgets', name);
    if (status !== undefined) await setStatus(budget, status);
    return budget;
  };
  const setStatus = (at: Target, status: object) =>
    mutateObject(deps, at, write, { endpoint: 'status', change: live => ({ ...live, status }) });
  return { deps, target, makePod, makeNode, makeBudget, setStatus, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

const binding = (target: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata,
  target,
});
const eviction = (deleteOptions: object = {}, name = 'p'): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  deleteOptions,
});
const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

describe('binding a pod', () => {
  test('puts it on the node and says so, once', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod();
    await bindPod(kernel.deps, pod, write, binding({ kind: 'Node', name: 'n' }, { annotations: { by: 'us' } }));
    const bound = (await getObject(kernel.deps, pod)).object as Pod;
    assert.equal(bound.spec?.nodeName, 'n');
    assert.deepEqual(bound.metadata.annotations, { by: 'us' });
    assert.deepEqual(bound.status, {
      phase: 'Pending',
      qosClass: 'BestEffort',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    });
    await assert.rejects(
      bindPod(kernel.deps, pod, write, binding({ name: 'm' })),
      (error: Error) =>
        isError(error, 'Conflict') && /pods\/binding "p": pod p is already assigned to node "n"/.test(error.message),
    );
  });

  test('changes nothing in a dry run', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod();
    const { object } = await bindPod(kernel.deps, pod, { ...write, dryRun: true }, binding({ name: 'n' }));
    assert.equal((object as Pod).spec?.nodeName, 'n');
    assert.equal(((await getObject(kernel.deps, pod)).object as Pod).spec?.nodeName, undefined);
  });

  const refused: readonly (readonly [string, KubeObject, string, object])[] = [
    ['without a node', binding({}), 'Invalid', {}],
    ['to something else', binding({ kind: 'Pod', name: 'n' }), 'Invalid', {}],
    ['by another name', binding({ name: 'n' }, { name: 'q' }), 'BadRequest', {}],
    ['of another life', binding({ name: 'n' }, { uid: 'other' }), 'Conflict', {}],
    ['that waits at a gate', binding({ name: 'n' }), 'Conflict', { schedulingGates: [{ name: 'g' }] }],
  ];
  for (const [why, body, code, spec] of refused) {
    test(`is rejected ${why}`, async () => {
      await using kernel = await startKernel();
      const pod = await kernel.makePod(spec);
      await assert.rejects(bindPod(kernel.deps, pod, write, body), (error: Error) => isError(error, code));
    });
  }
});

describe('evicting a pod', () => {
  test('deletes it when no budget covers it', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod({ nodeName: 'n' });
    await kernel.setStatus(pod, running);
    const { isRemoved, served } = await evictPod(kernel.deps, pod, write, eviction({ gracePeriodSeconds: 5 }));
    assert.equal(isRemoved, false);
    assert.equal(served.object.metadata.deletionGracePeriodSeconds, 5);
    await evictPod(kernel.deps, pod, write, eviction({ gracePeriodSeconds: 0 }));
    await assert.rejects(getObject(kernel.deps, pod), (error: Error) => isError(error, 'NotFound'));
  });

  const budgets: readonly (readonly [string, object | undefined, string, number?])[] = [
    [
      'is spent',
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
      'The disruption budget b needs 1 healthy pods and has 1 currently',
    ],
    ['is not counted yet', undefined, 'The disruption budget b is still being processed by the server.', 10],
    [
      'was counted before it changed',
      { disruptionsAllowed: 1, observedGeneration: 0 },
      'The disruption budget b is still being processed by the server.',
      10,
    ],
  ];
  for (const [why, status, message, retryAfterSeconds] of budgets) {
    test(`has to wait when the budget ${why}`, async () => {
      await using kernel = await startKernel();
      const pod = await kernel.makePod({ nodeName: 'n' });
      await kernel.setStatus(pod, running);
      await kernel.makeNode();
      await kernel.makeBudget(status);
      await assert.rejects(evictPod(kernel.deps, pod, write, eviction()), (error: Error) => {
        assert.ok(isError(error, 'TooManyRequests'));
        assert.deepEqual(error.details.causes, [{ reason: 'DisruptionBudget', message }]);
        assert.equal(error.details.retryAfterSeconds, retryAfterSeconds);
        return true;
      });
      assert.equal((await getObject(kernel.deps, pod)).object.metadata.deletionTimestamp, undefined);
    });
  }

  test('costs the budget one disruption', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod({ nodeName: 'n' });
    await kernel.setStatus(pod, running);
    const budget = await kernel.makeBudget({ disruptionsAllowed: 1 });
    await evictPod(kernel.deps, pod, write, eviction());
    assert.deepEqual((await getObject(kernel.deps, budget)).object['status'], {
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-01-02T03:04:05Z' },
    });
  });

  test('does not wait for a count on a cluster without nodes, which has no disruption controller', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod({ nodeName: 'n' });
    await kernel.setStatus(pod, running);
    await kernel.makeBudget();
    const { served } = await evictPod(kernel.deps, pod, write, eviction());
    assert.notEqual(served.object.metadata.deletionTimestamp, undefined);
  });

  test('is an internal error when two budgets are about it', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod({ nodeName: 'n' });
    await kernel.setStatus(pod, running);
    await kernel.makeBudget({ disruptionsAllowed: 1 });
    await kernel.makeBudget({ disruptionsAllowed: 1 }, {}, 'c');
    const isRefused = (error: Error) => isError(error, 'InternalError') && /more than one/.test(error.message);
    await assert.rejects(evictPod(kernel.deps, pod, write, eviction()), isRefused);
  });

  const unreadyCases: readonly (readonly [why: string, status: object, spec: object, isEvicted: boolean])[] = [
    ['always, by the policy', { disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, true],
    ['while enough others are', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }, {}, true],
    ['but not while too few are', { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 }, {}, false],
  ];
  for (const [why, status, spec, isEvicted] of unreadyCases) {
    test(`goes when it is not ready, ${why}`, async () => {
      await using kernel = await startKernel();
      const pod = await kernel.makePod({ nodeName: 'n' });
      await kernel.setStatus(pod, unready);
      const budget = await kernel.makeBudget(status, spec);
      const evicted = evictPod(kernel.deps, pod, write, eviction());
      if (isEvicted) await evicted;
      else await assert.rejects(evicted, (error: Error) => isError(error, 'TooManyRequests'));
      assert.deepEqual((await getObject(kernel.deps, budget)).object['status'], status, 'the budget is not touched');
    });
  }

  test('counts when it becomes ready in the very moment', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod({ nodeName: 'n' });
    await kernel.setStatus(pod, unready);
    await kernel.makeBudget({ disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    const { deps } = kernel;
    let isFirst = true;
    const of: typeof deps.registry.of = async cluster => {
      // After the pod was read and before it is deleted.
      if (isFirst) {
        isFirst = false;
        await kernel.setStatus(pod, running);
      }
      return deps.registry.of(cluster);
    };
    const registry = new Proxy(deps.registry, {
      get: (target, name) => {
        const value: unknown = name === 'of' ? of : Reflect.get(target, name, target);
        return typeof value === 'function' && name !== 'of' ? (value.bind(target) as unknown) : value;
      },
    });
    const evicted = evictPod({ ...deps, registry }, pod, write, eviction());
    await assert.rejects(evicted, (error: Error) => isError(error, 'TooManyRequests'));
  });

  test('is allowed to as many as the budget has, however many ask at once', async () => {
    await using kernel = await startKernel();
    const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
    for (const name of names) await kernel.setStatus(await kernel.makePod({ nodeName: 'n' }, name), running);
    const conditions = [
      {
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
        message: '',
        lastTransitionTime: '2025-01-01T00:00:00Z',
      },
    ];
    const budget = await kernel.makeBudget({ disruptionsAllowed: 3, currentHealthy: 8, desiredHealthy: 5, conditions });
    const evictions = await Promise.allSettled(
      names.map(async name => evictPod(kernel.deps, await kernel.target('', 'pods', name), write, eviction({}, name))),
    );
    assert.equal(evictions.filter(({ status }) => status === 'fulfilled').length, 3);
    const status = (await getObject(kernel.deps, budget)).object['status'] as {
      disruptionsAllowed: number;
      disruptedPods: object;
      conditions: { status: string; reason: string }[];
    };
    assert.deepEqual([status.disruptionsAllowed, Object.keys(status.disruptedPods).length], [0, 3]);
    assert.deepEqual([status.conditions[0]?.status, status.conditions[0]?.reason], ['False', 'InsufficientPods']);
  });

  test('costs nothing when the pod is not ready anyway', async () => {
    await using kernel = await startKernel();
    const pod = await kernel.makePod();
    await kernel.makeBudget({ disruptionsAllowed: 0 });
    const { isRemoved } = await evictPod(kernel.deps, pod, write, eviction());
    assert.equal(isRemoved, true);
  });
});
