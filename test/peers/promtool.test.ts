import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findPrometheus, runProcess, whySkipped } from '@chandlery/testing';

const prometheus = await findPrometheus();
const rules = join(import.meta.dirname, '../../deploy/monitoring/alerts.yaml');

test('promtool accepts the alerting rules', { skip: whySkipped(prometheus) }, async () => {
  const promtool = join(dirname(prometheus.path ?? ''), 'promtool');
  const { code, stdout, stderr } = await runProcess(promtool, ['check', 'rules', '--lint-fatal', rules]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /\d+ rules found/);
});

test('the alerts fire in an outage, and only then', { skip: whySkipped(prometheus) }, async () => {
  const promtool = join(dirname(prometheus.path ?? ''), 'promtool');
  const { code, stdout, stderr } = await runProcess(promtool, [
    'test',
    'rules',
    join(dirname(rules), 'alerts.test.yaml'),
  ]);
  assert.equal(code, 0, stdout + stderr);
});
