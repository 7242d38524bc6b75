import type { JsonValue } from '@chandlery/api';
import { goJson } from './values/json-text.ts';
import { Meter } from './values/meter.ts';
import type { Value } from './values/value.ts';

/** The text that stands for a value in a template: a string as it is, everything else as its JSON with sorted keys. */
export function insertedText(value: JsonValue | bigint): string {
  return typeof value === 'string' ? value : goJson(value as Value, new Meter(Number.POSITIVE_INFINITY));
}
