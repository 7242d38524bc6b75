import { isDeeperThan } from '@chandlery/api';
import { fail } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import type { Value } from '../values/value.ts';
import { jsonProblem } from './json-problem.ts';

const maxDepth = 500;

/** Parses JSON; its numbers are floats. Throws a Failure as Go's encoding/json words it. */
export function parseGoJson(text: string, meter: Meter): Value {
  meter.charge(text.length / 4);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(jsonProblem(text));
  }
  if (isDeeperThan(maxDepth, value)) return fail('exceeded max depth');
  return value as Value;
}
