import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { createRow } from '../../registry/fleet-registry.ts';
import { startTestFleet } from '../../test-fleet.ts';
import { startRecordWorker } from './record-worker.ts';

test('records go when their retention is over, and not before', async () => {
  await using fleet = await startTestFleet();
  const { registry } = fleet.deps;
  const record = (id: string, removeInMs: number) =>
    createRow({
      table: 'records',
      id,
      tenant: '',
      spec: {
        product: 'dinosaurs',
        organisation: 'o',
        name: id,
        owner: 'zoe',
        deletedAt: registry.now(),
        removeAt: new Date(Date.now() + removeInMs).toISOString(),
        instance: {},
      },
    });
  await registry.commit([record('old', -1000)]);
  await using _ = startRecordWorker(fleet.deps);
  await registry.commit([record('soon', 300), record('kept', 3_600_000)]);
  await eventually(() => registry.records.size === 1);
  assert.notEqual(registry.records.get('kept'), undefined);
});
