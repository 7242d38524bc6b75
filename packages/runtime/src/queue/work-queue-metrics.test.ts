import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsRegistry } from '@chandlery/platform';
import { createWorkQueue } from './create-work-queue.ts';
import { TestTime } from './test-timers.ts';
import { createWorkQueueMetrics } from './work-queue-metrics.ts';

test('a queue exports its state under the names of client-go, until it stops', async () => {
  const registry = new MetricsRegistry();
  const time = new TestTime();
  const observer = createWorkQueueMetrics(registry)('databases');
  const queue = createWorkQueue<string>({ clock: time.clock, timers: time, observer, random: () => 0 });
  queue.add('a');
  queue.add('b');
  queue.add('b');
  const a = await queue.next();
  time.advance(2000);
  const b = await queue.next();
  time.advance(1000);
  queue.addRateLimited('a');
  queue.addAfter('c', 1);
  time.advance(1);
  const text = await registry.render();
  const labels = '{name="databases",controller="databases"}';
  for (const line of [
    `workqueue_depth${labels} 1`,
    `workqueue_adds_total${labels} 3`,
    `workqueue_retries_total${labels} 1`,
    `workqueue_queue_duration_seconds_sum${labels} 2`,
    `workqueue_unfinished_work_seconds${labels} 4.002`,
    `workqueue_longest_running_processor_seconds${labels} 3.001`,
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  a?.done();
  b?.done();
  assert.ok((await registry.render()).includes(`workqueue_work_duration_seconds_count${labels} 2\n`));
  await queue.stop();
  assert.ok(!(await registry.render()).includes('databases'));
});

test('queues of one name are measured together', async () => {
  const registry = new MetricsRegistry();
  const observe = createWorkQueueMetrics(registry);
  const [one, other] = ['pods', 'pods'].map(name => createWorkQueue<string>({ observer: observe(name) }));
  one?.add('a');
  other?.add('b');
  other?.add('c');
  const depth = async () => /^workqueue_depth.* (\d)$/m.exec(await registry.render())?.[1];
  assert.equal(await depth(), '3');
  await other?.stop();
  assert.equal(await depth(), '1');
  await one?.stop();
  assert.equal(await depth(), undefined);
});
