import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InstanceEvent, InstanceStatus } from './instance-events.ts';
import { applyTransition, transition } from './transitions.ts';

const routes = [{ domain: 'a', router: 'b' }];
const anyEvent: fc.Arbitrary<InstanceEvent> = fc.constantFrom<InstanceEvent>(
  { type: 'delete', by: 'user' },
  { type: 'admin-suspend' },
  { type: 'admin-resume', isInGrace: false },
  { type: 'versions-set', desired: { product: '2' } },
  { type: 'placed', clusterId: 'c1', holds: ['c1#0'] },
  { type: 'placed', clusterId: 'c2', holds: ['c2#0'] },
  { type: 'versions-chosen', desired: { product: '1' } },
  { type: 'client-named', ssoClientId: 'dinosaur-1' },
  { type: 'prepared', namespace: 'n', host: 'h', placementId: 'p' },
  { type: 'expiry-set', expiresAt: 'then' },
  { type: 'worker-failed', reason: 'deadline' },
  { type: 'dns-started', changeId: '1' },
  { type: 'dns-done' },
  { type: 'data-plane-gone' },
  { type: 'cleaned-up' },
  { type: 'agent-ready', routes, adminUrl: undefined },
  { type: 'agent-installing', routes },
  { type: 'agent-routes-rejected', problem: 'stray' },
  { type: 'agent-error', message: 'broken' },
  { type: 'agent-deleted' },
  { type: 'agent-rejected', placementId: 'p2' },
  { type: 'agent-cluster-full', keptHolds: [] },
  { type: 'agent-suspended' },
  { type: 'agent-versions', actual: { product: '1' }, upgrading: {} },
);

/** Events that lead from an order to a running instance, so that random ones meet every state. */
const usualLife: readonly InstanceEvent[] = [
  { type: 'placed', clusterId: 'c1', holds: ['c1#0'] },
  { type: 'versions-chosen', desired: { product: '1' } },
  { type: 'prepared', namespace: 'n', host: 'h', placementId: 'p' },
  { type: 'agent-ready', routes, adminUrl: undefined },
  { type: 'dns-done' },
  { type: 'admin-suspend' },
  { type: 'agent-suspended' },
  { type: 'admin-resume', isInGrace: false },
];

/** What must hold whenever an event turns one status into the next; undefined: the instance was removed. */
function checkStep(before: InstanceStatus, after: InstanceStatus | undefined): void {
  if (after === undefined) return assert.equal(before.state, 'deleting');
  if (before.state === 'deprovision') assert.ok(after.state === 'deprovision' || after.state === 'deleting');
  if (before.state === 'deleting') assert.equal(after.state, 'deleting');
  if (after.state === 'deleting') assert.ok(before.state === 'deprovision' || before.state === 'deleting');
  if (after.state === 'ready' && before.state !== 'ready')
    assert.ok(after.routesCreated && after.agentReady, 'ready needs the agent and DNS');
  if (after.state === 'ready') assert.equal(after.failedReason, undefined);
  if (after.state === 'suspended') assert.ok(before.state === 'suspending' || before.state === 'suspended');
  if (before.state === 'suspended')
    assert.ok(['suspended', 'resuming', 'deprovision'].includes(after.state ?? ''), `suspended → ${after.state}`);
  if (after.clusterId !== before.clusterId)
    assert.ok(before.clusterId === undefined || after.clusterId === undefined, 'it never moves in one step');
}

test('no sequence of events breaks the rules of an instance’s life', () => {
  const reached = new Set<string>();
  const life = fc.tuple(fc.nat(usualLife.length), fc.array(anyEvent, { maxLength: 40 }));
  fc.assert(
    fc.property(life, ([begun, events]) => {
      let status: InstanceStatus = { state: 'accepted' };
      for (const event of [...usualLife.slice(0, begun), ...events]) {
        const result = transition(status, event);
        if (result.type === 'remove') return checkStep(status, undefined);
        if (result.type !== 'to') continue;
        const next = applyTransition(status, result, 'now');
        checkStep(status, next);
        reached.add(next.state ?? '');
        status = next;
      }
    }),
    { numRuns: 3000, seed: 14 },
  );
  assert.equal(reached.size, 10, `every state is met: ${[...reached].toSorted()}`);
});
