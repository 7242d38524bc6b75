import { peerUnavailable } from '../../port-errors.ts';
import type { InstantSample, MetricLabels, RangeSeries } from '../../ports.ts';

type Point = readonly [seconds: number, value: string];

/** Reads a matrix. Values that are not finite are left out, since JSON has none. */
export function readRange(data: unknown): readonly RangeSeries[] {
  const series = resultOf(data, 'matrix').map(({ metric, values }) => ({
    metric: labelsOf(metric),
    values: (Array.isArray(values) ? values : []).map(toValue).filter(isFiniteValue),
  }));
  return series.filter(({ values }) => values.length > 0);
}

/** Reads a vector. Values that are not finite are left out. */
export function readInstant(data: unknown): readonly InstantSample[] {
  return resultOf(data, 'vector')
    .map(({ metric, value }) => ({ metric: labelsOf(metric), ...toValue(value) }))
    .filter(isFiniteValue);
}

function resultOf(data: unknown, type: string): readonly Readonly<Record<string, unknown>>[] {
  const { resultType, result } = (data ?? {}) as { readonly resultType?: unknown; readonly result?: unknown };
  if (resultType === type && Array.isArray(result)) return result.map(item => (item ?? {}) as Record<string, unknown>);
  throw peerUnavailable(`cannot read metrics: Prometheus answered no ${type}`);
}

function labelsOf(metric: unknown): MetricLabels {
  const labels = Object.entries((metric ?? {}) as Record<string, unknown>);
  return Object.fromEntries(labels.filter((label): label is [string, string] => typeof label[1] === 'string'));
}

function toValue(point: unknown): { readonly timestampMs: number; readonly value: number } {
  const [seconds, value] = Array.isArray(point) ? (point as unknown as Point) : [Number.NaN, ''];
  return { timestampMs: Math.round(seconds * 1000), value: value === '' ? Number.NaN : Number(value) };
}

const isFiniteValue = ({ timestampMs, value }: { readonly timestampMs: number; readonly value: number }): boolean =>
  Number.isFinite(timestampMs) && Number.isFinite(value);
