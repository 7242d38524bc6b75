import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestFleet } from '../test-fleet.ts';
import { manyRows, turnsDuring } from '../test-many-rows.ts';
import type { ActionDeps } from './action-deps.ts';
import { reportQuota } from './report-quota.ts';

test('the quota of 100,000 instances is listed in steps, and one organisation reads its own alone', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const rows = manyRows(100_000);
  const asked: string[] = [];
  const by = (index: string, term: string) => {
    asked.push(`${index} ${term}`);
    return index === 'product' ? rows : [];
  };
  const registry = { ...fleet.deps.registry, instances: { by } } as unknown as ActionDeps['registry'];
  const deps = { ...fleet.deps, registry };
  const turns = await turnsDuring(() => reportQuota(deps, { product: 'dinosaurs', organisation: undefined }));
  assert.ok(turns >= 3, `others had ${turns} turns`);
  await reportQuota(deps, { product: 'dinosaurs', organisation: 'acme' });
  assert.deepEqual(asked, ['product dinosaurs', 'organisation dinosaurs/acme']);
});
