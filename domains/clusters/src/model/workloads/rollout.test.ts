import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sum } from './numbers.ts';
import { planScale } from './proportional-scale.ts';
import {
  initialReplicas,
  isScaled,
  planRecreate,
  planRollingUpdate,
  type RolloutView,
  rolloutLimits,
  type SetView,
} from './rollout.ts';
import { RolloutFixture, set } from './test-rollout.ts';

const view = (
  replicas: number,
  sets: { readonly current?: SetView; readonly old?: readonly SetView[] },
  limits = { maxSurge: 1, maxUnavailable: 0 },
): RolloutView => ({ replicas, limits, current: sets.current, old: sets.old ?? [] });

const told = (scalings: readonly { name: string; replicas: number }[]): string =>
  scalings.map(({ name, replicas }) => `${name}=${replicas}`).join(' ');

describe('the limits of a rollout', () => {
  for (const [why, replicas, settings, surge, absent] of [
    ['surplus is rounded up, absence down', 3, { maxSurge: '25%', maxUnavailable: '25%' }, 1, 0],
    ['numbers are taken as they are', 10, { maxSurge: 3, maxUnavailable: 2 }, 3, 2],
    ['nothing said means a quarter', 8, undefined, 2, 2],
    ['both 0 would stand still', 4, { maxSurge: 0, maxUnavailable: 0 }, 0, 1],
    ['percentages that round to 0 would too', 4, { maxSurge: 0, maxUnavailable: '10%' }, 0, 1],
    ['no more can be missing than there are', 2, { maxSurge: 0, maxUnavailable: 5 }, 0, 2],
  ] as const) {
    test(why, () => {
      assert.deepEqual(rolloutLimits(replicas, settings), { maxSurge: surge, maxUnavailable: absent });
    });
  }
});

describe('the next step of a rolling update', () => {
  for (const [why, situation, expected] of [
    ['the new set grows into the surplus first', view(3, { current: set('n', 0), old: [set('a', 3)] }), 'n=1'],
    ['nothing old goes before the new one is available', view(3, { current: set('n', 1, 0), old: [set('a', 3)] }), ''],
    ['then an old one goes', view(3, { current: set('n', 1), old: [set('a', 3)] }), 'a=2'],
    ['all is done', view(3, { current: set('n', 3), old: [set('a', 0)] }), ''],
    [
      'old pods that do not serve are deleted at once',
      view(3, { current: set('n', 1, 0), old: [set('a', 3, 1)] }, { maxSurge: 1, maxUnavailable: 1 }),
      'a=2',
    ],
    ['the oldest set shrinks first', view(3, { current: set('n', 1), old: [set('b', 2), set('a', 1)] }), 'a=0'],
    ['a new set that is too large shrinks', view(2, { current: set('n', 5), old: [] }), 'n=2'],
    ['without a new set there is nothing to do', view(3, { old: [set('a', 3)] }), ''],
    [
      'what may be missing goes at once',
      view(4, { current: set('n', 1, 0), old: [set('a', 4)] }, { maxSurge: 1, maxUnavailable: 2 }),
      'a=2',
    ],
  ] as const) {
    test(why, () => assert.equal(told(planRollingUpdate(situation)), expected));
  }

  test('a set begins with as many pods as there is room for', () => {
    assert.equal(initialReplicas(view(3, {})), 3);
    assert.equal(initialReplicas(view(3, { old: [set('a', 3)] })), 1);
    assert.equal(initialReplicas(view(3, { old: [set('a', 3)] }, { maxSurge: 0, maxUnavailable: 1 })), 0);
  });
});

describe('recreating', () => {
  for (const [why, situation, isOldRunning, expected] of [
    ['old sets go to nothing first', view(2, { current: set('n', 0), old: [set('a', 2)] }), true, 'a=0'],
    ['the new one waits for the last old pod', view(2, { current: set('n', 0), old: [set('a', 0)] }), true, ''],
    ['then it comes whole', view(2, { current: set('n', 0), old: [set('a', 0)] }), false, 'n=2'],
    ['and that was all', view(2, { current: set('n', 2), old: [set('a', 0)] }), false, ''],
  ] as const) {
    test(why, () => assert.equal(told(planRecreate(situation, isOldRunning)), expected));
  }
});

describe('scaling a deployment', () => {
  const sized = (name: string, replicas: number, desired: number, max: number): SetView =>
    set(name, replicas, replicas, { desired, max });
  for (const [why, situation, expected] of [
    ['the one set gets the number', view(5, { current: sized('n', 3, 3, 4) }), 'n=5'],
    ['a deployment without pods grows its newest set', view(2, { current: sized('n', 0, 0, 0) }), 'n=2'],
    [
      'during a rollout each gets its share',
      view(20, { current: sized('n', 5, 10, 12), old: [sized('a', 7, 10, 12)] }, { maxSurge: 2, maxUnavailable: 0 }),
      'a=13 n=9',
    ],
    [
      'also when it shrinks',
      view(5, { current: sized('n', 4, 10, 12), old: [sized('a', 8, 10, 12)] }, { maxSurge: 1, maxUnavailable: 0 }),
      'a=4 n=2',
    ],
    ['to nothing at all', view(0, { current: sized('n', 4, 10, 12), old: [sized('a', 8, 10, 12)] }), 'a=0 n=0'],
    [
      'what is complete loses its old pods',
      view(3, { current: sized('n', 3, 3, 4), old: [sized('a', 1, 3, 4)] }),
      'a=0',
    ],
  ] as const) {
    test(why, () => assert.equal(told(planScale(situation, true)), expected));
  }

  test('is detected by the size recorded on the sets', () => {
    assert.ok(isScaled(view(5, { current: sized('n', 3, 3, 4) })));
    assert.ok(!isScaled(view(3, { current: sized('n', 3, 3, 4) })));
    assert.ok(!isScaled(view(5, { current: sized('n', 0, 3, 4) })), 'sets without pods do not count');
  });

  test('spreads exactly what is allowed, whatever the sizes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 5 }), (before, replicas, surge) => {
        const total = sum(before);
        const [current, ...old] = before.map((size, index) => ({
          ...sized(String.fromCharCode(97 + index), size, total + 100, total),
        }));
        const situation = view(replicas, { ...(current && { current }), old }, { maxSurge: surge, maxUnavailable: 0 });
        const plan = planScale(situation, true);
        const after = [...old, ...(current ? [current] : [])].map(
          ({ name, replicas: size }) => plan.find(scaling => scaling.name === name)?.replicas ?? size,
        );
        assert.equal(sum(after), replicas === 0 ? 0 : replicas + surge);
        assert.ok(after.every(size => size >= 0));
      }),
    );
  });
});

describe('a rolling update', () => {
  const settings = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    maxSurge: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('25%', '50%', '100%')),
    maxUnavailable: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('0%', '25%', '100%')),
  });
  const doings = fc.array(
    fc.record({
      what: fc.constantFrom('roll', 'roll', 'manage', 'ready', 'report', 'template'),
      index: fc.nat({ max: 5 }),
    }),
    { maxLength: 120 },
  );

  test('never has too few pods available nor too many wanted, and ends', () => {
    fc.assert(
      fc.property(settings, doings, ({ replicas, ...amounts }, steps) => {
        const limits = rolloutLimits(replicas, amounts);
        const world = new RolloutFixture(replicas, limits);
        for (const { what, index } of steps) {
          if (what === 'roll') world.roll();
          if (what === 'manage') world.manage(index);
          if (what === 'ready') world.becomeReady(index);
          if (what === 'report') world.report(index);
          if (what === 'template' && world.sets.length < 5) world.changeTemplate();
          assert.ok(world.available >= replicas - limits.maxUnavailable, `${world.available} available`);
          assert.ok(world.wanted <= replicas + limits.maxSurge, `${world.wanted} wanted`);
        }
        world.settle();
        assert.deepEqual(
          world.sets.map(({ ready, unready }) => ready + unready),
          world.sets.map((_, index) => (index === world.sets.length - 1 ? replicas : 0)),
        );
      }),
      { numRuns: 300 },
    );
  });
});
