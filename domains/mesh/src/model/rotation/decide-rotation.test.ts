import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RootRole } from '../../kinds/mesh-root-certificate.ts';
import { decideRotation, type RotationPlan } from './decide-rotation.ts';

const roles: readonly RootRole[] = ['active', 'passive', 'inactive'];
const decide = (fresh: RootRole, old: RootRole | undefined, third?: RootRole): RotationPlan =>
  decideRotation(
    { name: 'new', role: fresh },
    old && { name: 'old', role: old },
    third === undefined ? [] : [{ name: 'third', role: third }],
  );

describe('A rotation', () => {
  it('completes, and always has a signing root', () => {
    const taken: string[] = [];
    let [fresh, old]: [RootRole, RootRole | undefined] = ['inactive', 'active'];
    for (let plan = decide(fresh, old); plan.type === 'step'; plan = decide(fresh, old)) {
      taken.push(plan.step);
      if (plan.root === 'new') fresh = plan.role ?? fresh;
      else old = plan.role;
      assert.ok(fresh === 'active' || old === 'active');
    }
    assert.deepEqual(taken, ['Introduce', 'Promote', 'Demote', 'Retire', 'Remove']);
    assert.deepEqual([fresh, old], ['active', undefined]);
  });

  it('is done when the old root is deleted, for any role of the new one', () => {
    for (const role of roles) assert.deepEqual(decide(role, undefined), { type: 'done' });
  });

  it('requires manual action where no step is safe', () => {
    const blocked = roles.flatMap(fresh =>
      roles.filter(old => decide(fresh, old).type === 'blocked').map(old => `${fresh} ${old}`),
    );
    assert.deepEqual(blocked, ['passive passive', 'passive inactive', 'inactive passive', 'inactive inactive']);
  });

  it('does not start beside a third root in use, but continues beside one', () => {
    const plan = decide('inactive', 'active', 'passive');
    assert.match(plan.type === 'blocked' ? plan.why : '', /make third inactive/);
    assert.equal(decide('inactive', 'active', 'inactive').type, 'step');
    assert.equal(decide('active', 'active', 'passive').type, 'step');
  });

  it('retires the old root only when no proxy has a certificate of it', () => {
    const retire = decide('active', 'passive');
    assert.equal(retire.type === 'step' && retire.after, 'departed');
  });
});
