import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOf } from './meter-level.ts';

const cases = [
  ['nothing is used', 0, 50, 'free'],
  ['most is used', 40, 50, 'scarce'],
  ['all is used', 50, 50, 'full'],
  ['a limit was lowered', 60, 50, 'full'],
  ['nothing may be used', 0, 0, 'closed'],
] as const;

for (const [why, used, limit, level] of cases) test(why, () => assert.equal(levelOf(used, limit), level));
