import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError, conflict, type KubeObject, traceparentAnnotation } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { currentTraceparent, type EndedSpan, MetricsRegistry, RecordingTracer } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { findCondition, isConditionTrue } from '../helpers/conditions.ts';
import { terminalError } from '../helpers/errors.ts';
import { controllerKeys, setController } from '../helpers/owner-references.ts';
import { createInformer } from '../informer/create-informer.ts';
import { pausedAnnotation, reconcileAnnotation } from './annotations.ts';
import { createControllerMetrics } from './controller-metrics.ts';
import type { Controller, ControllerOptions } from './controller-options.ts';
import { createController } from './create-controller.ts';
import type { Step, StepContext, StepResult } from './step.ts';
import { type Boat, boat, boatRef, boats, startTestPlane, type TestPlane } from './test-plane.ts';

type BoatStep = Step<Boat, object>;

const hoist: BoatStep = object => {
  object.status = { ...object.status, sails: object.spec?.sails ?? 0 };
  return 'continue';
};

interface World extends AsyncDisposable {
  readonly client: Client;
  readonly controller: Controller;
  /** The kinds of writes that the controller sent. */
  readonly writes: string[];
  get(name: string): Promise<Boat>;
}

type Given = Partial<ControllerOptions<Boat, object>> & { readonly steps: readonly BoatStep[] };

/** A controller at work on a plane; `interfere` runs before each of its writes. */
async function startWorld(
  given: Given,
  interfere: (plane: TestPlane) => Promise<void> = async () => {},
): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const { client } = plane;
  const writes: string[] = [];
  const writer: Pick<Client, 'patch' | 'update'> = {
    patch: async (ref, patch, options) => {
      writes.push('object');
      await interfere(plane);
      return client.patch(ref, patch, options);
    },
    update: async (ref, object, options) => {
      writes.push(ref.subresource ?? 'update');
      await interfere(plane);
      return client.update(ref, object, options);
    },
  };
  const informer = stack.use(createInformer<Boat>({ client, ref: boats }));
  const options = { name: 'harbour', client: writer, for: { ref: boats, informer }, needs: {}, ...given };
  const controller = stack.use(createController<Boat, object>(options));
  controller.start();
  await informer.synced;
  const all = stack.move();
  return {
    client,
    controller,
    writes,
    get: name => client.get<Boat>(boatRef(name)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const synced = (object: KubeObject): boolean => isConditionTrue(object, 'Synced');

const untilGone = (world: World, name: string) =>
  eventually(async () => {
    const list = await world.client.list(boats);
    return list.items.every(item => item.metadata.name !== name);
  });

describe('A controller', () => {
  it('runs its steps and writes the status once, with the generation it has seen', async () => {
    await using world = await startWorld({ steps: [hoist] });
    await world.client.create(boats, boat('a'));
    const seen = await eventually(async () => {
      const object = await world.get('a');
      return object.status?.sails === 1 && object;
    });
    assert.equal(seen.status?.observedGeneration, 1);
    assert.equal(findCondition(seen, 'Synced')?.observedGeneration, 1);
    await world.client.patch(boatRef('a'), { type: 'merge', body: { spec: { sails: 3 } } });
    const after = await eventually(async () => {
      const object = await world.get('a');
      return object.status?.sails === 3 && object;
    });
    assert.equal(after.status?.observedGeneration, 2);
    assert.deepEqual(world.writes, ['status', 'status']);
  });

  it('undoes what others write into the status', async () => {
    await using world = await startWorld({ steps: [hoist] });
    await world.client.create(boats, boat('a'));
    await eventually(async () => synced(await world.get('a')));
    const forged = { status: { sails: 99 } };
    await world.client.patch({ ...boatRef('a'), subresource: 'status' }, { type: 'merge', body: forged });
    await eventually(async () => (await world.get('a')).status?.sails === 1);
  });

  it('writes nothing when nothing changed', async () => {
    let reconciles = 0;
    const count: BoatStep = () => {
      reconciles += 1;
      return 'continue';
    };
    await using world = await startWorld({ steps: [hoist, count] });
    await world.client.create(boats, boat('a'));
    await eventually(() => world.writes.length === 1);
    world.controller.enqueue('default/a');
    await eventually(() => reconciles === 2);
    await world.controller.stop();
    assert.deepEqual(world.writes, ['status']);
  });

  it('never writes spec and status together', async () => {
    const label: BoatStep = object => {
      object.metadata.labels = { seen: 'yes' };
      return 'continue';
    };
    await using world = await startWorld({ steps: [label, hoist] });
    await world.client.create(boats, boat('a'));
    await eventually(async () => synced(await world.get('a')));
    const object = await world.get('a');
    assert.equal(object.metadata.labels?.['seen'], 'yes');
    assert.equal(object.status?.sails, 1);
    assert.deepEqual(world.writes, ['object', 'status']);
  });

  it('adds its finalizer before the first effect and removes it after the deletion steps', async () => {
    const effects: string[] = [];
    let isEmpty = false;
    const moor: BoatStep = object => {
      effects.push(`moor with ${object.metadata.finalizers?.join()}`);
      return 'continue';
    };
    const unload: BoatStep = () => {
      effects.push('unload');
      return isEmpty ? 'continue' : { retryAfterMs: 1 };
    };
    await using world = await startWorld({ steps: [moor], finalizer: 'example.org/harbour', onDelete: [unload] });
    await world.client.create(boats, boat('a'));
    await eventually(async () => synced(await world.get('a')));
    assert.deepEqual(new Set(effects), new Set(['moor with example.org/harbour']));
    await world.client.delete(boatRef('a'));
    await eventually(() => effects.filter(effect => effect === 'unload').length > 2);
    assert.ok((await world.get('a')).metadata.deletionTimestamp);
    isEmpty = true;
    await untilGone(world, 'a');
  });

  it('tries again after a transient failure and shows it meanwhile', async () => {
    let isBroken = true;
    const fail: BoatStep = () => {
      if (isBroken) throw new ChandleryError('ConnectionFailed', 'the lighthouse does not answer');
      return 'continue';
    };
    await using world = await startWorld({ steps: [fail], backOff: { maxMs: 20 } });
    await world.client.create(boats, boat('a'));
    const shown = await eventually(async () => findCondition(await world.get('a'), 'Synced'));
    assert.equal(shown.reason, 'ReconcileError');
    assert.equal(shown.message, 'the lighthouse does not answer');
    isBroken = false;
    await eventually(async () => synced(await world.get('a')));
  });

  it('gives up on a terminal error until the object changes', async () => {
    let reconciles = 0;
    const check: BoatStep = object => {
      reconciles += 1;
      if ((object.spec?.sails ?? 0) < 2) throw terminalError('a boat needs two sails');
      return 'continue';
    };
    const registry = new MetricsRegistry();
    const metrics = createControllerMetrics(registry);
    await using world = await startWorld({ steps: [check], metrics });
    await world.client.create(boats, boat('a'));
    const shown = await eventually(async () => findCondition(await world.get('a'), 'Synced'));
    assert.deepEqual([shown.status, shown.reason], ['False', 'TerminalError']);
    assert.equal(reconciles, 1);
    await world.client.patch(boatRef('a'), { type: 'merge', body: { spec: { sails: 2 } } });
    await eventually(async () => synced(await world.get('a')));
    const text = await registry.render();
    assert.match(text, /controller_runtime_reconcile_total\{controller="harbour",result="error"\} 1/);
    assert.match(text, /controller_runtime_terminal_reconcile_errors_total\{controller="harbour"\} 1/);
    assert.match(text, /controller_runtime_max_concurrent_reconciles\{controller="harbour"\} 1/);
    assert.match(text, /controller_runtime_active_workers\{controller="harbour"\} 0/);
  });

  it('takes a conflict for no error, be it thrown by a step or met by its write', async () => {
    let lost = 0;
    const race: BoatStep = () => {
      lost += 1;
      if (lost === 1) throw conflict({ group: '', resource: 'boats' }, 'a');
      return 'continue';
    };
    let isFirst = true;
    const registry = new MetricsRegistry();
    await using world = await startWorld(
      { steps: [race, hoist], metrics: createControllerMetrics(registry) },
      async plane => {
        if (!isFirst) return;
        isFirst = false;
        await plane.client.patch(boatRef('a'), { type: 'merge', body: { metadata: { labels: { quick: 'yes' } } } });
      },
    );
    await world.client.create(boats, boat('a'));
    await eventually(async () => synced(await world.get('a')));
    assert.equal((await world.get('a')).metadata.labels?.['quick'], 'yes');
    assert.doesNotMatch(await registry.render(), /reconcile_errors_total\{/);
  });

  it('survives programming errors and counts them', async () => {
    const registry = new MetricsRegistry();
    const stumble: BoatStep = object => {
      if (object.metadata.name === 'bad') throw new TypeError('x is not a function');
      return 'continue';
    };
    await using world = await startWorld({ steps: [stumble], metrics: createControllerMetrics(registry) });
    await world.client.create(boats, boat('bad'));
    await eventually(async () => findCondition(await world.get('bad'), 'Synced')?.status === 'False');
    await world.client.create(boats, boat('good'));
    await eventually(async () => synced(await world.get('good')));
    assert.match(await registry.render(), /controller_runtime_reconcile_panics_total\{controller="harbour"\} [1-9]/);
  });

  it('skips a paused object, reports that, and continues when it is resumed', async () => {
    await using world = await startWorld({ steps: [hoist] });
    await world.client.create(boats, boat('a', { annotations: { [pausedAnnotation]: 'true' } }));
    await eventually(async () => isConditionTrue(await world.get('a'), 'Paused'));
    assert.equal((await world.get('a')).status?.sails, undefined);
    const body = { metadata: { annotations: { [pausedAnnotation]: null } } };
    await world.client.patch(boatRef('a'), { type: 'merge', body });
    await eventually(async () => (await world.get('a')).status?.sails === 1);
    assert.equal(findCondition(await world.get('a'), 'Paused')?.status, 'False');
  });

  it('handles a request to reconcile now and records it', async () => {
    const requested: boolean[] = [];
    const listen: BoatStep = (_object, _needs, { isRequested }) => {
      requested.push(isRequested);
      return 'continue';
    };
    await using world = await startWorld({ steps: [listen] });
    await world.client.create(boats, boat('a'));
    await eventually(async () => synced(await world.get('a')));
    const body = { metadata: { annotations: { [reconcileAnnotation]: 'now' } } };
    await world.client.patch(boatRef('a'), { type: 'merge', body });
    await eventually(async () => (await world.get('a')).status?.lastHandledReconcileAt === 'now');
    assert.deepEqual(requested, [false, true]);
  });

  it('wakes up when what it owns changes', async () => {
    const maps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
    await using stack = new AsyncDisposableStack();
    const plane = stack.use(await startTestPlane());
    const { client } = plane;
    const informer = stack.use(createInformer<Boat>({ client, ref: boats }));
    const owned = stack.use(createInformer({ client, ref: maps }));
    const ensureLog = async (object: Boat): Promise<StepResult> => {
      const log: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'log', namespace: 'default' } };
      setController(log, object);
      if (owned.get('default', 'log') === undefined) await client.create(maps, log);
      return 'continue';
    };
    const mapToKeys = (map: KubeObject) => controllerKeys(map, { group: 'example.org', kind: 'Boat' });
    const own = { for: { ref: boats, informer }, owns: [{ informer: owned, mapToKeys }] };
    const controller = stack.use(
      createController<Boat, object>({ name: 'log', client, ...own, steps: [ensureLog], needs: {} }),
    );
    controller.start();
    await client.create(boats, boat('a'));
    const first = await eventually(() => client.get({ ...maps, name: 'log' }));
    await client.delete({ ...maps, name: 'log' });
    await eventually(async () => {
      const again = await client.get({ ...maps, name: 'log' });
      return again.metadata.uid !== first.metadata.uid;
    });
  });

  it('aborts a reconcile that takes too long', async () => {
    let isSlow = true;
    const wait: BoatStep = (_object, _needs, { signal }) => {
      if (!isSlow) return 'continue';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    await using world = await startWorld({ steps: [wait], timeoutMs: 5 });
    await world.client.create(boats, boat('a'));
    const shown = await eventually(async () => findCondition(await world.get('a'), 'Synced'));
    assert.equal(shown.message, 'the reconcile took longer than 5 ms');
    isSlow = false;
    await eventually(async () => synced(await world.get('a')));
  });

  it('waits for running reconciles when it stops, and writes nothing once they are aborted', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const hold = async (_object: Boat, _needs: object, { signal }: StepContext): Promise<StepResult> => {
      signal.addEventListener('abort', () => held.resolve());
      begun.resolve();
      await held.promise;
      return 'continue';
    };
    await using world = await startWorld({ steps: [hold, hoist] });
    await world.client.create(boats, boat('a'));
    await begun.promise;
    await world.controller.stop({ graceMs: 0 });
    assert.deepEqual(world.writes, []);
  });

  it('traces the reconciles that a traced write causes, with their steps', async () => {
    const ended: EndedSpan[] = [];
    const tracer = new RecordingTracer({ onEnd: span => void ended.push(span) });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const traces: (string | undefined)[] = [];
    const sail: BoatStep = ({ metadata }) => {
      if (metadata.name === 'traced') traces.push(currentTraceparent());
      return 'continue';
    };
    await using world = await startWorld({ steps: [hoist, sail], tracer });
    await world.client.create(boats, boat('untraced'));
    const traced = boat('traced');
    traced.metadata.annotations = { [traceparentAnnotation]: traceparent };
    await world.client.create(boats, traced);
    await eventually(async () => synced(await world.get('traced')) && ended.length === 3);
    const [first, second, reconcile] = ended;
    assert.deepEqual([first?.name, second?.name, reconcile?.name], ['step hoist', 'step sail', 'reconcile harbour']);
    assert.equal(reconcile?.parentSpanId, 'b'.repeat(16));
    assert.equal(first?.parentSpanId, reconcile.context.spanId);
    assert.equal(reconcile.context.traceId, 'a'.repeat(32));
    // What was asked for is done: a reconcile for another reason is not part of the trace.
    world.controller.enqueue('default/traced');
    await eventually(() => traces.length > 1);
    assert.deepEqual([traces[0]?.slice(3, 35), traces.at(-1)], ['a'.repeat(32), undefined]);
    assert.equal(ended.length, 3);
  });
});
