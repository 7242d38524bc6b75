import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type InstanceState, instanceStates } from '../kinds/index.ts';
import type { InstanceEvent, InstanceStatus } from './instance-events.ts';
import { type AnyState, applyTransition, type Transition, transition } from './transitions.ts';

const routes = [{ domain: 'a.example.com', router: 'router.example.com' }];
/** As an instance is that runs: each state is tried with everything that guards ask for. */
const complete: InstanceStatus = {
  clusterId: 'c1',
  host: 'a.example.com',
  routes,
  routesCreated: true,
  agentReady: true,
};

const events: Readonly<Record<string, InstanceEvent>> = {
  'user delete': { type: 'delete', by: 'user' },
  'admin delete': { type: 'delete', by: 'administrator' },
  expiry: { type: 'delete', by: 'expiry' },
  'denied owner': { type: 'delete', by: 'denied-owner' },
  'object deleted': { type: 'delete', by: 'object' },
  suspend: { type: 'admin-suspend' },
  resume: { type: 'admin-resume', isInGrace: false },
  'resume in grace': { type: 'admin-resume', isInGrace: true },
  'versions set': { type: 'versions-set', desired: { product: '2' } },
  placed: { type: 'placed', clusterId: 'c2', holds: [] },
  'versions chosen': { type: 'versions-chosen', desired: { product: '1' } },
  'client named': { type: 'client-named', ssoClientId: 'dinosaur-1' },
  prepared: { type: 'prepared', namespace: 'n', host: 'h', placementId: 'p' },
  'expiry set': { type: 'expiry-set', expiresAt: undefined },
  'worker failed': { type: 'worker-failed', reason: 'no' },
  'dns started': { type: 'dns-started', changeId: '1' },
  'dns done': { type: 'dns-done' },
  renewed: { type: 'certificate-renewed', certificateExpiresAt: 'then', certificateNames: ['h'] },
  'data plane gone': { type: 'data-plane-gone' },
  'cleaned up': { type: 'cleaned-up' },
  'agent ready': { type: 'agent-ready', routes, adminUrl: undefined },
  'agent installing': { type: 'agent-installing', routes },
  'agent stray routes': { type: 'agent-routes-rejected', problem: 'stray' },
  'agent error': { type: 'agent-error', message: 'broken' },
  'agent deleted': { type: 'agent-deleted' },
  'agent rejected': { type: 'agent-rejected', placementId: 'p2' },
  'agent cluster full': { type: 'agent-cluster-full', keptHolds: [] },
  'agent suspended': { type: 'agent-suspended' },
  'agent versions': { type: 'agent-versions', actual: {}, upgrading: undefined },
};

const columns: readonly AnyState[] = ['unadmitted', ...instanceStates];
const short: Readonly<Record<string, string>> = {
  acc: 'accepted',
  pre: 'preparing',
  pro: 'provisioning',
  rdy: 'ready',
  fai: 'failed',
  sng: 'suspending',
  spd: 'suspended',
  res: 'resuming',
  dpr: 'deprovision',
  del: 'deleting',
};

/**
 * A line for each event, a column for each state: the next state; `.` ignored, `8` rejected with that code, `X` removed.
 */
const expected = `
                     una acc pre pro rdy fai sng spd res dpr del
user delete          dpr dpr dpr dpr dpr dpr dpr dpr dpr .   .
admin delete         dpr dpr dpr dpr dpr dpr dpr dpr dpr .   .
expiry               dpr dpr dpr dpr dpr dpr dpr dpr dpr .   .
denied owner         dpr dpr dpr dpr dpr dpr dpr dpr dpr .   .
object deleted       dpr dpr dpr dpr dpr dpr dpr dpr dpr .   .
suspend              8   8   8   8   sng 8   8   8   8   8   8
resume               8   8   8   8   8   8   8   res 8   8   8
resume in grace      8   8   8   8   8   8   8   8   8   8   8
versions set         8   8   pre pro rdy fai sng spd res dpr 8
placed               .   .   .   .   .   .   .   .   .   .   .
versions chosen      .   pre .   pro .   .   .   .   .   .   .
client named         .   .   pre pro .   .   .   .   .   .   .
prepared             .   .   pro pro .   .   .   .   .   .   .
expiry set           .   acc pre pro rdy fai sng spd res .   .
worker failed        .   fai fai fai .   .   .   .   fai .   .
dns started          .   .   .   pro rdy fai sng spd res .   .
dns done             .   .   .   rdy rdy rdy sng spd rdy .   .
renewed              .   .   .   pro rdy fai sng spd res .   .
data plane gone      .   .   .   .   .   .   .   .   .   del .
cleaned up           .   .   .   .   .   .   .   .   .   .   X
agent ready          .   .   .   rdy rdy rdy .   .   rdy .   .
agent installing     .   .   .   pro rdy fai .   .   res .   .
agent stray routes   .   .   .   pro .   fai .   .   res .   .
agent error          .   .   .   fai fai .   .   .   fai .   .
agent deleted        .   .   .   .   .   .   .   .   .   del .
agent rejected       .   .   .   pro .   .   .   .   .   .   .
agent cluster full   .   .   .   pro .   .   .   .   .   .   .
agent suspended      .   .   .   .   .   .   spd .   .   .   .
agent versions       .   .   .   pro rdy fai sng spd res .   .
`;

const inState = (state: AnyState, status: InstanceStatus = complete): InstanceStatus =>
  state === 'unadmitted' ? {} : { ...status, state };

function cell(result: Transition): string {
  switch (result.type) {
    case 'to':
      return result.state;
    case 'reject':
      return String(result.code);
    case 'remove':
      return 'X';
    case 'ignore':
      return '.';
  }
}

describe('every event in every state', () => {
  const lines = expected.trim().split('\n').slice(1);
  test('is in the table', () => {
    assert.deepEqual(
      lines.map(line => line.slice(0, 21).trim()),
      Object.keys(events),
    );
  });
  for (const line of lines) {
    const name = line.slice(0, 21).trim();
    test(name, () => {
      const event = events[name] ?? assert.fail();
      const cells = line
        .slice(21)
        .trim()
        .split(/\s+/)
        .map(text => short[text] ?? text);
      assert.deepEqual(
        columns.map(state => cell(transition(inState(state), event))),
        cells,
      );
    });
  }
});

const ready: InstanceEvent = { type: 'agent-ready', routes, adminUrl: 'https://admin' };
const guards: readonly {
  why: string;
  from: InstanceStatus;
  event: InstanceEvent;
  state: InstanceState | 'ignored';
  changes?: InstanceStatus;
}[] = [
  {
    why: 'ready waits for DNS',
    from: { ...complete, state: 'provisioning', routesCreated: false },
    event: ready,
    state: 'provisioning',
    changes: { agentReady: true, adminUrl: 'https://admin' },
  },
  {
    why: 'DNS waits for the agent',
    from: { ...complete, state: 'provisioning', agentReady: false },
    event: { type: 'dns-done' },
    state: 'provisioning',
    changes: { routesCreated: true },
  },
  {
    why: 'routes are stored once',
    from: { ...complete, state: 'ready' },
    event: { ...ready, routes: [{ domain: 'other', router: 'x' }] },
    state: 'ready',
    changes: { agentReady: true, adminUrl: 'https://admin' },
  },
  {
    why: 'routes are stored with the first report',
    from: { state: 'provisioning', clusterId: 'c1', host: 'h' },
    event: { type: 'agent-installing', routes },
    state: 'provisioning',
    changes: { routes },
  },
  {
    why: 'addresses are those of the last report',
    from: { ...complete, state: 'ready', endpoints: [{ address: '10.0.0.1', port: 1 }] },
    event: { type: 'agent-endpoints', endpoints: [{ address: '10.0.0.2', port: 2 }] },
    state: 'ready',
    changes: { endpoints: [{ address: '10.0.0.2', port: 2 }] },
  },
  {
    why: 'an instance that was never prepared is not ready',
    from: { state: 'failed' },
    event: ready,
    state: 'ignored',
  },
  {
    why: 'an instance without a cluster is placed',
    from: { state: 'accepted' },
    event: { type: 'placed', clusterId: 'c1', holds: ['x#0'] },
    state: 'accepted',
    changes: { clusterId: 'c1', holds: ['x#0'] },
  },
  {
    why: 'versions need a cluster',
    from: { state: 'accepted' },
    event: { type: 'versions-chosen', desired: {} },
    state: 'ignored',
  },
  {
    why: 'a preparation needs a cluster',
    from: { state: 'preparing' },
    event: { type: 'prepared', namespace: 'n', host: 'h', placementId: 'p' },
    state: 'ignored',
  },
];

for (const { why, from, event, state, changes = {} } of guards)
  test(why, () => {
    const result = transition(from, event);
    if (state === 'ignored') return assert.equal(result.type, 'ignore');
    assert.ok(result.type === 'to');
    assert.equal(result.state, state);
    for (const [field, value] of Object.entries(changes))
      assert.deepEqual(result.changes[field as keyof InstanceStatus], value, field);
    if (why === 'routes are stored once') assert.equal(result.changes.routes, undefined);
  });

test('a full cluster is left with everything that belonged to it, and not taken again', () => {
  const from: InstanceStatus = {
    ...complete,
    state: 'provisioning',
    placementId: 'p',
    desired: { product: '1' },
    holds: ['a#1', 'b#2'],
    excludedClusters: ['c0'],
  };
  const result = transition(from, { type: 'agent-cluster-full', keptHolds: ['a#1'] });
  assert.ok(result.type === 'to');
  assert.deepEqual(applyTransition(from, result, 'now'), {
    state: 'provisioning',
    holds: ['a#1'],
    excludedClusters: ['c0', 'c1'],
    formerRoutes: routes,
  });
});

test('a new state has its time, and ready clears the reason and keeps when it was ready first', () => {
  const failed: InstanceStatus = { ...complete, state: 'failed', stateSince: 'then', failedReason: 'no' };
  const result = transition(failed, { ...ready, adminUrl: undefined });
  assert.ok(result.type === 'to');
  assert.deepEqual(applyTransition(failed, result, 'now'), {
    ...complete,
    state: 'ready',
    stateSince: 'now',
    readySince: 'now',
  });
  const again = applyTransition(
    { ...complete, state: 'ready', stateSince: 'then', readySince: 'first' },
    result,
    'now',
  );
  assert.deepEqual([again.stateSince, again.readySince], ['then', 'first']);
});
