import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MetricsQuery, MetricsSource } from '../../ports.ts';

/**
 * A source to try. Of the instance `alpha` (namespace `dinosaur-alpha`) it has had for two minutes, at least every 15 s,
 * `dinosaur_requests_total{code="200"}` and `{code="500"}`, 7 and 1, and `dinosaur_up`, 1. Of `beta` it has `dinosaur_up`, 0.
 */
export interface OpenedMetrics extends AsyncDisposable {
  readonly source: MetricsSource;
}

/** What a source is filled with before the contract, by instance. */
export const contractSamples = {
  alpha: [
    { metric: { __name__: 'dinosaur_requests_total', code: '200' }, value: 7 },
    { metric: { __name__: 'dinosaur_requests_total', code: '500' }, value: 1 },
    { metric: { __name__: 'dinosaur_up' }, value: 1 },
  ],
  beta: [{ metric: { __name__: 'dinosaur_up' }, value: 0 }],
} as const;

const of = (instanceId: string, ...filters: string[]): MetricsQuery => ({
  instanceId,
  namespace: `dinosaur-${instanceId}`,
  filters,
});

const named = (items: readonly { readonly metric: Readonly<Record<string, string>> }[]): readonly string[] =>
  items.map(({ metric }) => `${metric['__name__']}${metric['code'] ?? ''}`).sort();

/** Describes what every source of metrics does. */
export function describeMetricsSourceContract(
  title: string,
  open: () => Promise<OpenedMetrics>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`metrics source: ${title}`, options, () => {
    let opened: OpenedMetrics;
    before(async () => {
      opened = await open();
    });
    after(() => opened?.[Symbol.asyncDispose]());

    test('the latest values of an instance are its own', async () => {
      const samples = await opened.source.query(of('alpha', 'dinosaur_up', 'dinosaur_requests_total'));
      assert.deepEqual(named(samples), ['dinosaur_requests_total200', 'dinosaur_requests_total500', 'dinosaur_up']);
      const [beta, ...others] = await opened.source.query(of('beta', 'dinosaur_up'));
      assert.deepEqual([beta?.value, others], [0, []]);
      assert.ok(Math.abs(Date.now() - (beta?.timestampMs ?? 0)) < 600_000);
    });

    test('filters select metrics by name and nothing else', async () => {
      assert.deepEqual(named(await opened.source.query(of('alpha', 'dinosaur_up'))), ['dinosaur_up']);
      for (const filter of ['dinosaur_.*', 'dinosaur_up"} or {namespace="dinosaur-beta', 'unknown', '', '\\', 'ü"'])
        assert.deepEqual(await opened.source.query(of('alpha', filter)), [], filter);
    });

    test('without filters all metrics of the instance are there', async () => {
      const names = named(await opened.source.query({ instanceId: 'alpha', namespace: 'dinosaur-alpha' }));
      for (const name of ['dinosaur_requests_total200', 'dinosaur_up']) assert.ok(names.includes(name), name);
    });

    test('a range has one value per interval, in order', async () => {
      const range = { ...of('alpha', 'dinosaur_requests_total'), durationMinutes: 1, intervalSeconds: 15 };
      const series = await opened.source.queryRange(range);
      assert.deepEqual(named(series), ['dinosaur_requests_total200', 'dinosaur_requests_total500']);
      const values = series.find(({ metric }) => metric['code'] === '200')?.values ?? [];
      assert.ok(values.length >= 4 && values.length <= 5, `${values.length} values`);
      for (const [index, { timestampMs, value }] of values.entries()) {
        assert.equal(value, 7);
        if (index > 0) assert.equal(timestampMs - (values[index - 1]?.timestampMs ?? 0), 15_000);
      }
    });

    test('a long range in small intervals is answered with wider ones', async () => {
      const range = { ...of('alpha', 'dinosaur_up'), durationMinutes: 4320, intervalSeconds: 1 };
      assert.deepEqual(named(await opened.source.queryRange(range)), ['dinosaur_up']);
    });

    test('federation is text that Prometheus reads', async () => {
      const text = await opened.source.federate(of('alpha', 'dinosaur_requests_total'));
      assert.match(text, /^# TYPE dinosaur_requests_total untyped$/m);
      assert.match(text, /^dinosaur_requests_total\{.*code="200".*\} 7 \d{13}$/m);
      assert.doesNotMatch(text, /dinosaur_up/);
      assert.match(await opened.source.federate(of('alpha')), /^dinosaur_up(\{.*\})? 1 \d{13}$/m);
    });

    test('an instance without metrics has empty results', async () => {
      assert.deepEqual(await opened.source.query(of('nobody')), []);
      assert.deepEqual(
        await opened.source.queryRange({ ...of('nobody'), durationMinutes: 5, intervalSeconds: 30 }),
        [],
      );
      assert.equal((await opened.source.federate(of('nobody'))).trim(), '');
    });
  });
}
