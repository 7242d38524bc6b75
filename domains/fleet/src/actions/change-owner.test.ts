import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetErrorCode } from '../errors.ts';
import { rejectsFleetError } from '../test-errors.ts';
import { startTestFleet, type TestFleet } from '../test-fleet.ts';
import { changeOwner } from './change-owner.ts';
import { createUserSeen } from './user-seen.ts';

interface Change {
  readonly by: string;
  readonly organisation?: string;
  readonly admin?: boolean;
  readonly owner?: string;
}

function change(fleet: TestFleet, id: string, { by, organisation = '13640203', admin = false, owner }: Change) {
  const caller = { username: by, organisation, accountId: undefined, isOrganisationAdmin: admin };
  return changeOwner(fleet.deps, fleet.product(), { caller, id, owner });
}

async function see({ deps }: TestFleet, organisation: string, username: string): Promise<void> {
  const userSeen = createUserSeen(deps);
  const caller = { organisation, username, accountId: 'acc', isOrganisationAdmin: false };
  await Promise.all([userSeen(caller), userSeen(caller), userSeen(caller)]);
  assert.equal([...deps.registry.users.all()].filter(({ spec }) => spec.username === username).length, 1);
}

test('an instance goes to a user who was seen in the organisation, by its owner or an administrator', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await see(fleet, '13640203', 'yan');
  await see(fleet, '13640203', 'zoe');
  const { id } = await fleet.create('rex');
  assert.equal((await change(fleet, id, { by: 'zoe', owner: 'yan' })).spec.owner, 'yan');
  assert.equal((await change(fleet, id, { by: 'zoe', admin: true, owner: 'zoe' })).spec.owner, 'zoe');
  assert.equal(fleet.deps.registry.users.size, 2, 'users are remembered once');
});

const rejections: readonly { why: string; change: Change; number: FleetErrorCode }[] = [
  { why: 'another organisation', change: { by: 'zoe', organisation: 'x', owner: 'yan' }, number: 7 },
  { why: 'a colleague', change: { by: 'yan', owner: 'yan' }, number: 11 },
  { why: 'a colleague who changes nothing', change: { by: 'yan' }, number: 11 },
  { why: 'an unknown owner', change: { by: 'zoe', owner: 'nobody' }, number: 21 },
  { why: 'an owner of another organisation', change: { by: 'zoe', owner: 'eve' }, number: 21 },
  { why: 'a blank owner', change: { by: 'zoe', owner: ' ' }, number: 21 },
];

test('a change of the owner is rejected', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await see(fleet, '13640203', 'yan');
  await see(fleet, 'elsewhere', 'eve');
  const { id, revision } = await fleet.create('rex');
  for (const { why, change: rejected, number } of rejections)
    await rejectsFleetError(change(fleet, id, rejected), number, why);
  assert.equal(fleet.deps.registry.instances.get(id)?.revision, revision);
  assert.equal((await change(fleet, id, { by: 'zoe' })).revision, revision, 'nothing to change');
});

test('users whom the quota list names are known', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const { id } = await fleet.create('rex', { organisation: '13645369', username: 'ann' });
  const given = await change(fleet, id, { by: 'ann', organisation: '13645369', owner: 'ben' });
  assert.equal(given.spec.owner, 'ben');
  assert.deepEqual(
    given.status.holds?.filter(hold => hold.startsWith('quota')),
    ['quota/dinosaurs/org/13645369#0'],
  );
});

test('a trial takes its units to the new owner, who may have no other', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const organisation = 'unlisted';
  for (const username of ['ann', 'ben', 'eve']) await see(fleet, organisation, username);
  const { id } = await fleet.create('rex', { organisation, username: 'ann' });
  await fleet.create('sue', { organisation, username: 'eve' });
  await rejectsFleetError(change(fleet, id, { by: 'ann', organisation, owner: 'eve' }), 24);
  const { status } = await change(fleet, id, { by: 'ann', organisation, owner: 'ben' });
  assert.ok(status.holds?.includes('trial/dinosaurs/unlisted/ben#0'));
  await rejectsFleetError(fleet.create('tim', { organisation, username: 'ben' }), 24);
  await fleet.create('uli', { organisation, username: 'ann' });
});
