import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideInstance, type InstanceSituation, type LocalInstance } from './decide-instance.ts';

const live = { placementId: 'p1', isDeleted: false, isPaused: false };
const deleted = { ...live, isDeleted: true };
const local = { placementId: 'p1', isMarkedDeleted: false };
const marked = { ...local, isMarkedDeleted: true };

const cases: readonly { why: string; situation: Partial<InstanceSituation>; decision: string }[] = [
  { why: 'it is new', situation: { desired: live }, decision: 'apply' },
  { why: 'it is there', situation: { desired: live, local }, decision: 'apply' },
  { why: 'it should go', situation: { desired: deleted, local }, decision: 'remove' },
  { why: 'it is gone as asked', situation: { desired: deleted }, decision: 'report-deleted' },
  { why: 'a list lacks it', situation: { local }, decision: 'keep' },
  { why: 'a list lacks it after it was marked', situation: { local: marked }, decision: 'remove' },
  { why: 'nobody knows it', situation: {}, decision: 'keep' },
  { why: 'it was marked and a late list has it', situation: { desired: live, local: marked }, decision: 'remove' },
  {
    why: 'it is gone and a late list has it',
    situation: { desired: live, isRemovedPlacement: true },
    decision: 'keep',
  },
  {
    why: 'its other placement is still there',
    situation: { desired: { ...live, placementId: 'p2' }, local },
    decision: 'remove',
  },
  { why: 'it is frozen', situation: { desired: { ...deleted, isPaused: true }, local }, decision: 'keep' },
];
for (const { why, situation, decision } of cases)
  test(`what to do about an instance: ${why}`, () =>
    assert.equal(
      decideInstance({ desired: undefined, local: undefined, isRemovedPlacement: false, ...situation }),
      decision,
    ));

/** What the control plane lists, in any order and as often as it likes: nothing, either placement, deleted or not. */
const response = fc.option(
  fc.record({ placementId: fc.constantFrom('p1', 'p2'), isDeleted: fc.boolean(), isPaused: fc.constant(false) }),
  { nil: undefined },
);
const step = fc.record({ desired: response, isNamespaceGone: fc.boolean(), isRestarted: fc.boolean() });

interface World {
  local: LocalInstance | undefined;
  removed: Set<string>;
  /** Placements that the control plane asked to go: deleted, or replaced by another. */
  asked: Set<string>;
}

/** Carries a decision out as the agent does. */
function act(world: World, desired: InstanceSituation['desired']): void {
  const isRemovedPlacement = desired !== undefined && world.removed.has(desired.placementId);
  const { local } = world;
  if (desired?.isDeleted === true && local !== undefined) world.asked.add(local.placementId);
  if (desired !== undefined && local !== undefined && desired.placementId !== local.placementId)
    world.asked.add(local.placementId);
  switch (decideInstance({ desired, local, isRemovedPlacement })) {
    case 'apply':
      assert.ok(!(local?.isMarkedDeleted ?? false), 'what was marked is not used again');
      world.local = { placementId: desired?.placementId ?? '', isMarkedDeleted: false };
      break;
    case 'remove':
      assert.ok(world.asked.has(local?.placementId ?? ''), 'nothing is removed that was not asked to go');
      world.local = { placementId: local?.placementId ?? '', isMarkedDeleted: true };
      world.removed.add(local?.placementId ?? '');
      break;
    case 'report-deleted':
      assert.ok(desired?.isDeleted === true && local === undefined, 'Deleted is reported of what is gone as asked');
      break;
    case 'keep':
      break;
  }
}

test('no sequence of lists, empty ones included, removes what was not asked to go', () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const world: World = { local: undefined, removed: new Set(), asked: new Set() };
      for (const { desired, isNamespaceGone, isRestarted } of steps) {
        const before = world.local;
        act(world, desired);
        if (desired === undefined && before !== undefined && !before.isMarkedDeleted)
          assert.deepEqual(world.local, before, 'a list without the instance changes nothing');
        if (isNamespaceGone && world.local?.isMarkedDeleted === true) world.local = undefined;
        if (isRestarted) world.removed = new Set();
      }
    }),
  ));
