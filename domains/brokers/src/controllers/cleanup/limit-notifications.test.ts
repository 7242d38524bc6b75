import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { globalTenant } from '../../kinds/index.ts';
import { createRow, type Registry } from '../../model/rows.ts';
import { startTestRegistry } from '../../test-registry.ts';
import { limitNotifications } from './limit-notifications.ts';

const payloadOf = (bytes: number): Record<string, unknown> => ({ text: 'x'.repeat(bytes) });

const notify = (registry: Registry, id: string, bytes: number): Promise<void> =>
  registry.commit([
    createRow({
      table: 'notifications',
      id,
      tenant: globalTenant,
      spec: { resource: '/v1/service_brokers', type: 'CREATED', resourceId: 'b', payload: payloadOf(bytes) },
    }),
  ]);

const idsIn = (registry: Registry): string[] => [...registry.notifications.all()].map(({ id }) => id);

test('the oldest notifications go when all of them together are too large', async () => {
  await using world = await startTestRegistry();
  const { registry } = world;
  for (const id of ['1', '2']) await notify(registry, id, 400);
  await using _limit = limitNotifications({ registry, logger: silentLogger, maxBytes: 2000 });
  for (const id of ['3', '4']) await notify(registry, id, 400);
  assert.deepEqual(idsIn(registry), ['1', '2', '3', '4']);
  await notify(registry, '5', 400);
  await eventually(() => idsIn(registry).length === 3);
  assert.deepEqual(idsIn(registry), ['3', '4', '5']);
});

test('what was stored before counts too', async () => {
  await using world = await startTestRegistry();
  const { registry } = world;
  for (const id of ['1', '2', '3']) await notify(registry, id, 900);
  await using _limit = limitNotifications({ registry, logger: silentLogger, maxBytes: 2000 });
  await eventually(() => idsIn(registry).length === 1);
  assert.deepEqual(idsIn(registry), ['3']);
});
