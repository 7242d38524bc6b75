import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePorts } from './free-port.ts';
import { eventually } from './wait-for.ts';

test('eventually waits over misses and errors', async () => {
  const answers = [() => undefined, () => false, () => null, () => assert.fail('not yet'), () => 'there'];
  assert.equal(await eventually(() => answers.shift()?.(), { pauseMs: 1 }), 'there');
});

test('eventually gives up and says why', async () => {
  const attempt = (): boolean => assert.fail('gauge empty');
  await assert.rejects(
    eventually(attempt, { timeoutMs: 20, what: 'the gauge' }),
    /after 20 ms waiting for the gauge: gauge empty/,
  );
});

test('free ports are different ones', async () => {
  const ports = await freePorts(5);
  assert.equal(new Set(ports).size, 5);
});
