import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import type { MeasuredSample } from '../../ports.ts';
import { EmbeddedMetrics } from './embedded-metrics.ts';
import { contractSamples, describeMetricsSourceContract } from './metrics-source-contract.ts';
import { SampleRing } from './sample-ring.ts';

describeMetricsSourceContract('embedded', () => {
  const clock = new ManualClock(new Date(Date.now() - 120_000));
  const source = new EmbeddedMetrics({ clock });
  for (let seconds = 0; seconds <= 120; seconds += 10) {
    source.record('alpha', contractSamples.alpha);
    source.record('beta', contractSamples.beta);
    if (seconds < 120) clock.advance(10_000);
  }
  return Promise.resolve({ source, [Symbol.asyncDispose]: () => Promise.resolve() });
});

const up = (value = 1) => ({ metric: { __name__: 'up' }, value });
const query = { instanceId: 'a', namespace: 'ns-a' };

test('values of an agent that fell silent are no longer the latest after five minutes', async () => {
  const clock = new ManualClock();
  const source = new EmbeddedMetrics({ clock });
  source.record('a', [up()]);
  clock.advance(5 * 60_000 - 1);
  assert.equal((await source.query(query)).length, 1);
  clock.advance(1);
  assert.deepEqual(await source.query(query), []);
});

test('an instance that is gone leaves nothing', async () => {
  const source = new EmbeddedMetrics();
  source.record('a', [up()]);
  source.forget('a');
  source.forget('never there');
  assert.deepEqual(await source.query(query), []);
});

test('samples that Prometheus could not read are not kept', async () => {
  const source = new EmbeddedMetrics();
  const bad: readonly MeasuredSample[] = [
    { metric: { __name__: 'bad name' }, value: 1 },
    { metric: { name: 'nameless' }, value: 1 },
    { metric: { __name__: 'bad_label', 'a-b': '' }, value: 1 },
    { metric: { __name__: 'not_a_number' }, value: Number.NaN },
    { metric: { __name__: 'long', label: 'x'.repeat(1000) }, value: 1 },
  ];
  source.record('a', [...bad, up()]);
  assert.deepEqual(
    (await source.query(query)).map(({ metric }) => metric['__name__']),
    ['up'],
  );
});

test('label values are escaped in the text', async () => {
  const source = new EmbeddedMetrics();
  source.record('a', [{ metric: { __name__: 'odd', text: 'a"b\\c\nd' }, value: 2 }]);
  assert.match(await source.federate(query), /^odd\{text="a\\"b\\\\c\\nd"\} 2 \d+$/m);
});

test('the ring keeps the newest of each instance and of all, within its limits', () => {
  const ring = new SampleRing({ maxScrapesPerInstance: 3, maxSamplesPerScrape: 2, maxSamples: 8 });
  for (let atMs = 0; atMs < 10; atMs += 1) ring.add('a', atMs, [up(), { metric: { __name__: 'b' }, value: 1 }, up()]);
  assert.deepEqual(
    ring.scrapesOf('a').map(({ atMs, values }) => [atMs, values.length]),
    [
      [7, 2],
      [8, 2],
      [9, 2],
    ],
  );
  for (let atMs = 10; atMs < 14; atMs += 1) ring.add(`other-${atMs}`, atMs, [up()]);
  assert.deepEqual(
    ring.scrapesOf('a').map(({ atMs }) => atMs),
    [8, 9],
  );
  assert.equal(ring.size, 8);
  for (let round = 0; round < 1000; round += 1) ring.add(`many-${round}`, round, [up()]);
  assert.equal(ring.size, 8);
  assert.deepEqual(ring.scrapesOf('a'), []);
});

test('scrapes of the same series share their labels', () => {
  const ring = new SampleRing({ maxScrapesPerInstance: 3, maxSamplesPerScrape: 2, maxSamples: 8 });
  ring.add('a', 1, [up(1)]);
  ring.add('a', 2, [up(2)]);
  const [first, second] = ring.scrapesOf('a');
  assert.ok(first !== undefined && first.series === second?.series);
});
