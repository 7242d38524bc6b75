import type { JsonObject } from '@chandlery/api';
import type { MeasuredSample } from '../../../ports.ts';
import { bodyError } from '../body-fields.ts';

/** Reads samples by the ids of instances: `{<id>: [{metric: {__name__, …}, value}]}`. Throws error 17. */
export function readSamples(body: JsonObject): ReadonlyMap<string, readonly MeasuredSample[]> {
  return new Map(Object.entries(body).map(([id, samples]) => [id, readList(id, samples)]));
}

function readList(id: string, samples: unknown): readonly MeasuredSample[] {
  if (!Array.isArray(samples) || !samples.every(isSample))
    throw bodyError(`${id} must be a list of samples, each with the labels of a metric and a value`);
  return samples;
}

function isSample(sample: unknown): sample is MeasuredSample {
  const { metric, value } = (sample ?? {}) as { readonly metric?: unknown; readonly value?: unknown };
  if (typeof metric !== 'object' || metric === null || Array.isArray(metric)) return false;
  return typeof value === 'number' && Object.values(metric).every(label => typeof label === 'string');
}
