import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finishSteps, Pace, type Steps } from './pace.ts';

function* count(upTo: number, work: () => void): Steps<number> {
  for (let step = 0; step < upTo; step++) {
    work();
    yield;
  }
  return upTo;
}

const workFor = (ms: number) => (): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('a pace', () => {
  it('returns the result of short steps at once', () => {
    assert.equal(new Pace().run(count(3, () => {})), 3);
  });

  it('lets others work between long steps', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const result = await new Pace().run(count(4, workFor(7)));
    clearInterval(timer);
    assert.equal(result, 4);
    assert.ok(turns > 0, 'a timer fired between the steps');
  });

  it('rejects with what a later step throws', async () => {
    let step = 0;
    const work = (): void => {
      workFor(6)();
      if (++step === 3) throw new Error('step 3');
    };
    await assert.rejects(async () => await new Pace().run(count(4, work)), /step 3/);
  });
});

describe('finishSteps', () => {
  it('does all steps at once', () => assert.equal(finishSteps(count(5, () => {})), 5));
});
