import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsRegistry } from './metrics.ts';

test('counters, gauges and histograms are rendered as Prometheus reads them', async () => {
  const registry = new MetricsRegistry();
  const requests = registry.counter({ name: 'http_requests_total', help: 'Requests.', labels: ['verb', 'code'] });
  requests.with({ verb: 'get', code: '200' }).inc();
  requests.with({ code: '200', verb: 'get' }).inc(2);
  requests.with({ verb: 'put', code: '409' }).inc();
  const watchers = registry.gauge({ name: 'watchers', help: 'Open watches.' }).with({});
  watchers.set(5);
  watchers.inc();
  watchers.dec(3);
  const duration = registry.histogram({ name: 'commit_seconds', help: 'Commits.', buckets: [0.1, 1] }).with({});
  for (const seconds of [0.05, 0.1, 0.5, 7]) duration.observe(seconds);
  assert.equal(
    await registry.render(),
    `# HELP http_requests_total Requests.
# TYPE http_requests_total counter
http_requests_total{verb="get",code="200"} 3
http_requests_total{verb="put",code="409"} 1
# HELP watchers Open watches.
# TYPE watchers gauge
watchers 3
# HELP commit_seconds Commits.
# TYPE commit_seconds histogram
commit_seconds_bucket{le="0.1"} 2
commit_seconds_bucket{le="1"} 3
commit_seconds_bucket{le="+Inf"} 4
commit_seconds_sum 7.65
commit_seconds_count 4
`,
  );
});

test('label values and help texts are escaped', async () => {
  const registry = new MetricsRegistry();
  registry
    .gauge({ name: 'g', help: 'a\\b\n"c"', labels: ['path'] })
    .with({ path: 'a\\b"c"\nd' })
    .set(Number.NEGATIVE_INFINITY);
  assert.equal(await registry.render(), '# HELP g a\\\\b\\n"c"\n# TYPE g gauge\ng{path="a\\\\b\\"c\\"\\nd"} -Inf\n');
});

test('a metric without labels starts at zero, one with labels starts empty', async () => {
  const registry = new MetricsRegistry();
  registry.counter({ name: 'a_total', help: 'A.' });
  registry.counter({ name: 'b_total', help: 'B.', labels: ['x'] });
  assert.equal(
    await registry.render(),
    '# HELP a_total A.\n# TYPE a_total counter\na_total 0\n# HELP b_total B.\n# TYPE b_total counter\n',
  );
});

test('collectors run before each rendering, and a failing one does not affect the others', async () => {
  const registry = new MetricsRegistry();
  const size = registry.gauge({ name: 'size', help: 'Size.', labels: ['of'] });
  let rounds = 0;
  registry.collect(async () => {
    size.clear();
    size.with({ of: `round ${++rounds}` }).set(rounds);
  });
  registry.collect(() => {
    throw new Error('no luck');
  });
  await registry.render();
  assert.match(await registry.render(), /gauge\nsize\{of="round 2"\} 2\n$/);
});

test('a series that was removed or cleared restarts, even the one used last', async () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({ name: 'g', help: 'h', labels: ['x'] });
  gauge.with({ x: 'a' }).set(1);
  gauge.remove({ x: 'a' });
  gauge.with({ x: 'a' }).inc();
  gauge.with({ x: 'a' }).inc();
  assert.match(await registry.render(), /^g\{x="a"\} 2$/m);
  gauge.clear();
  gauge.with({ x: 'a' }).inc();
  assert.match(await registry.render(), /^g\{x="a"\} 1$/m);
});

test('series can be removed', async () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({ name: 'g', help: 'G.', labels: ['x'] });
  gauge.with({ x: 'a' }).set(1);
  gauge.with({ x: 'b' }).set(2);
  gauge.remove({ x: 'a' });
  assert.match(await registry.render(), /gauge\ng\{x="b"\} 2\n$/);
});

const refused: readonly { why: string; make: (registry: MetricsRegistry) => unknown }[] = [
  { why: 'a bad name', make: registry => registry.counter({ name: 'a-b', help: '' }) },
  { why: 'a bad label', make: registry => registry.counter({ name: 'a', help: '', labels: ['__x'] }) },
  { why: 'the label le on a histogram', make: registry => registry.histogram({ name: 'a', help: '', labels: ['le'] }) },
  { why: 'buckets out of order', make: registry => registry.histogram({ name: 'a', help: '', buckets: [2, 1] }) },
  { why: 'a name twice', make: registry => [1, 2].map(() => registry.gauge({ name: 'a', help: '' })) },
  { why: 'a counter going down', make: registry => registry.counter({ name: 'a', help: '' }).with({}).inc(-1) },
];
for (const { why, make } of refused) {
  test(`${why} is rejected`, () => assert.throws(() => make(new MetricsRegistry()), { code: 'InvalidMetric' }));
}
