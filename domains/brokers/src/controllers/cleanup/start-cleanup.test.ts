import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { defaultBrokerSettings } from '../../settings.ts';
import { seedInstance, seedOperation, startTestRegistry } from '../../test-registry.ts';
import { startCleanup } from './start-cleanup.ts';

const day = 24 * 60 * 60 * 1000;

test('ended operations go after their time, but not the last of what still is, nor half a tree', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  await using world = await startTestRegistry({ clock });
  const { registry } = world;
  await seedInstance(registry, { id: 'alive' });
  const seed = (id: string, resourceId: string, more: object = {}, state = 'succeeded') =>
    seedOperation(registry, { id, spec: { resourceId, ...more }, status: { state } as never });
  const creation = { id: 'embedded', platformId: 'k8s' };
  await seedInstance(registry, { id: 'made-at-once', status: { creation } });
  await seed('old', 'alive');
  await seed('later', 'made-at-once');
  await seed('last', 'alive');
  await seed('of-the-dead', 'dead');
  await seed('open', 'dead-too', {}, 'in progress');
  await seed('root-1', 'p1', { cascadeRootId: 'root-1', resourceType: '/v1/platforms' });
  await seed('leaf-1', 'gone', { cascadeRootId: 'root-1', parentId: 'root-1' });
  await seed('root-2', 'p2', { cascadeRootId: 'root-2', resourceType: '/v1/platforms' }, 'failed');
  await seedInstance(registry, { id: 'kept' });
  await seed('leaf-2', 'kept', { cascadeRootId: 'root-2', parentId: 'root-2' }, 'failed');
  await seed('broker', 'b', { resourceType: '/v1/service_brokers' }, 'in progress');
  await seed('unpolled', 'never-seen', { isOfUnknown: true, type: 'delete' }, 'in progress');
  clock.advance(8 * day);
  await seed('young', 'dead');
  const logger = createLogger({ write: () => undefined });
  await using _cleaning = startCleanup({ registry, settings: defaultBrokerSettings, logger, clock });
  await eventually(() => registry.operations.get('of-the-dead') === undefined);
  const left = [...registry.operations.all()].map(({ id }) => id).sort();
  assert.deepEqual(left, ['broker', 'embedded', 'last', 'later', 'leaf-2', 'open', 'root-2', 'unpolled', 'young']);
  assert.equal(registry.operations.get('unpolled')?.status.state, 'failed');
  assert.equal(registry.operations.get('broker')?.status.state, 'failed');
});
