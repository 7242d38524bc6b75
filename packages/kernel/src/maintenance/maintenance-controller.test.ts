import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Store } from '../store/store.ts';
import { openTestStore, startKernelOn } from '../test-kernel.ts';
import type { Leadership } from './leadership.ts';

const hold = { finalizers: ['example.org/hold'] };
const neverLeader: Leadership = { start: () => undefined, [Symbol.asyncDispose]: () => Promise.resolve() };

/** Leads when the test says so. */
class ManualLeadership implements Leadership {
  change: (isLeader: boolean) => void = () => undefined;
  start(onChange: (isLeader: boolean) => void): void {
    this.change = onChange;
  }
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

describe('housekeeping', () => {
  for (const isForgotten of [false, true]) {
    test(`does after a start what happened while no leader ran${isForgotten ? ', even if history is compacted' : ''}`, async () => {
      await using world = await openTestStore();
      {
        await using plane = await startKernelOn(world.store, { leadership: neverLeader });
        const { object: owner } = await plane.create('configmaps', { metadata: { name: 'owner' } });
        const { apiVersion, kind, metadata } = owner;
        const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
        await plane.create('configmaps', { metadata: { name: 'child', ownerReferences } });
        await plane.delete('configmaps', 'owner');
        await plane.create('namespaces', { metadata: { name: 'going' } });
        await plane.delete('namespaces', 'going');
        if (isForgotten) await world.store.compact(await world.store.currentRevision());
      }
      await using plane = await startKernelOn(world.store);
      await plane.gone('configmaps', 'child');
      await plane.gone('namespaces', 'going');
    });
  }

  test('takes up again after a restart what it was waiting for', async () => {
    await using world = await openTestStore();
    {
      await using plane = await startKernelOn(world.store);
      await plane.create('namespaces', { metadata: { name: 'waiting' } });
      await plane.create('configmaps', { metadata: { name: 'held', ...hold } }, { namespace: 'waiting' });
      await plane.delete('namespaces', 'waiting');
      await eventually(
        async () =>
          ((await plane.get('namespaces', 'waiting'))['status'] as { conditions?: [] }).conditions !== undefined,
      );
    }
    await using plane = await startKernelOn(world.store);
    await plane.change('configmaps', 'held', live => void delete live.metadata.finalizers, { namespace: 'waiting' });
    await plane.gone('namespaces', 'waiting');
  });

  test('moves with the leadership, back and forth', async () => {
    await using world = await openTestStore();
    const [one, two] = [new ManualLeadership(), new ManualLeadership()];
    await using first = await startKernelOn(world.store, { leadership: one });
    await using second = await startKernelOn(world.store, { leadership: two });
    const removeNamespace = async (name: string): Promise<void> => {
      await first.create('namespaces', { metadata: { name } });
      await first.delete('namespaces', name);
      await second.settled();
      await second.gone('namespaces', name);
    };
    one.change(true);
    await removeNamespace('a');
    one.change(false);
    two.change(true);
    await removeNamespace('b');
    two.change(false);
    one.change(true);
    await removeNamespace('c');
    assert.deepEqual([...first.failures, ...second.failures], []);
  });

  test('begins when the store recovers', async () => {
    await using world = await openTestStore();
    let isBroken = true;
    const get: Store['get'] = key =>
      isBroken && key.resource === 'internal/positions'
        ? Promise.reject(new ChandleryError('Unavailable', 'broken'))
        : world.store.get(key);
    const store = new Proxy(world.store, {
      get: (target, name) => {
        const value: unknown = name === 'get' ? get : Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await using plane = await startKernelOn(store);
    await eventually(() => plane.failures.length > 0);
    isBroken = false;
    await plane.create('namespaces', { metadata: { name: 'later' } });
    await plane.delete('namespaces', 'later');
    await plane.gone('namespaces', 'later');
  });
});
