import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { casesOf, expectedOf, subjects } from './support/cases.ts';
import { runOnEngine } from './support/run-on-engine.ts';
import { snapshotOf } from './support/snapshot.ts';

/** Cases that run at once: most of their time they wait for processes. */
const concurrency = 16;

describe('The engine, with processes for containers,', { concurrency }, () => {
  for (const subject of subjects) {
    const expected = expectedOf(subject);
    for (const given of casesOf(subject)) {
      it(`${given.rule} ${given.name}: ${given.why}`, async () => {
        assert.equal(snapshotOf(await runOnEngine(given)), expected[given.name]?.trimEnd());
      });
    }
  }
});
