import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { type CronWorkflow, cronWorkflowsRef, workflowsRef } from '../../kinds/workflows/index.ts';
import { startTestWorkflows } from '../../test-workflows.ts';

const at = { ...cronWorkflowsRef, namespace: 'default' };
const cron = (name: string, spec: Record<string, JsonValue>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'CronWorkflow',
  metadata: { name },
  spec: {
    workflowSpec: {
      entrypoint: 'main',
      templates: [{ name: 'main', container: { image: 'x', command: ['sh', '-c', 'true'] } }],
    },
    ...spec,
  },
});

describe('A CronWorkflow', () => {
  it('creates workflows by its schedule, counts them, and stops as its strategy says', async () => {
    await using test = await startTestWorkflows();
    const stopStrategy = { expression: 'cronworkflow.succeeded >= 2' };
    await test.client.create(at, cron('often', { schedules: ['@every 1s'], stopStrategy }));
    const read = () => test.client.get<CronWorkflow>({ ...at, name: 'often' });
    await eventually(async () => (await read()).status?.['phase'] === 'Stopped', {
      what: 'it stops',
      timeoutMs: 20_000,
    });
    const { items } = await test.client.list({ ...workflowsRef, namespace: 'default' });
    assert.ok(items.length >= 2, `${items.length} workflows`);
    for (const { metadata } of items) {
      assert.match(metadata.name ?? '', /^often-\d+$/);
      assert.equal(metadata.labels?.['workflows.argoproj.io/cron-workflow'], 'often');
      assert.equal(metadata.ownerReferences?.[0]?.name, 'often');
    }
  });

  it('says what is wrong with its schedule', async () => {
    await using test = await startTestWorkflows();
    await test.client.create(at, cron('never', { schedules: ['every day'] }));
    await eventually(
      async () =>
        JSON.stringify((await test.client.get({ ...at, name: 'never' }))['status'] ?? {}).includes('SpecError'),
      { what: 'the condition is shown' },
    );
  });
});
