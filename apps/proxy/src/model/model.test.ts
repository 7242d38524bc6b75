import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedVisibility, PlatformBroker } from '../ports.ts';
import { parseGoDuration } from './go-duration.ts';
import { HandledRevisions } from './handled-revisions.ts';
import { planAccess } from './plan-access.ts';
import { type BrokerPlanInput, planBrokers } from './plan-brokers.ts';
import { subjectKey, subjectsOf } from './subjects.ts';

const naming = {
  prefix: 'sm-',
  osbUrl: 'https://sm/v1/osb',
  legacyOsbUrls: ['https://old-proxy/v1/osb'],
  platformName: (name: string) => name,
};
const broker = { id: 'b1', name: 'pg', url: 'https://pg' };
const at = (name: string, url: string, id = name): PlatformBroker => ({ id, name, url });
const input: BrokerPlanInput = {
  brokers: [broker],
  platformBrokers: [],
  naming,
  isTakeoverEnabled: true,
  blackList: [],
};
const ours = at('sm-pg-b1', 'https://sm/v1/osb/b1');

const cases: readonly {
  readonly why: string;
  readonly more: Partial<BrokerPlanInput>;
  readonly actions: readonly string[];
  readonly warns?: RegExp;
}[] = [
  { why: 'a new broker is created', more: {}, actions: ['create b1'] },
  { why: 'a known broker has its catalog fetched', more: { platformBrokers: [ours] }, actions: ['refetch sm-pg-b1'] },
  {
    why: 'a broker that was renamed is updated',
    more: { platformBrokers: [at('sm-x-b1', ours.url)] },
    actions: ['update sm-x-b1'],
  },
  {
    why: 'a former address is rewritten with new credentials',
    more: { platformBrokers: [at('sm-pg-b1', 'https://old-proxy/v1/osb/b1')] },
    actions: ['update sm-pg-b1 with credentials'],
  },
  {
    why: 'the real broker is taken over',
    more: { platformBrokers: [at('pg', 'https://pg/')] },
    actions: ['update pg with credentials'],
  },
  {
    why: 'without taking over it is created beside, with a warning',
    more: { platformBrokers: [at('pg', 'https://pg')], isTakeoverEnabled: false },
    actions: ['create b1'],
    warns: /taking over is disabled/,
  },
  {
    why: 'a name that is taken causes a warning',
    more: { platformBrokers: [at('sm-pg-b1', 'https://foreign')] },
    actions: [],
    warns: /another broker named/,
  },
  {
    why: 'each surplus broker is deleted, brokers of others stay',
    more: {
      brokers: [],
      platformBrokers: [ours, at('sm-q-b2', 'https://sm/v1/osb/b2'), at('foreign', 'https://foreign')],
    },
    actions: ['delete sm-pg-b1', 'delete sm-q-b2'],
  },
  {
    why: 'reconciling one broker deletes no other',
    more: { brokers: [], platformBrokers: [ours, at('sm-q-b2', 'https://sm/v1/osb/b2')], onlyBrokerId: 'b2' },
    actions: ['delete sm-q-b2'],
  },
  {
    why: 'what a rename left behind is removed',
    more: { platformBrokers: [at('sm-old-b1', ours.url), ours] },
    actions: ['refetch sm-pg-b1', 'delete sm-old-b1'],
  },
  { why: 'a black-listed broker is left alone', more: { blackList: ['pg'], platformBrokers: [ours] }, actions: [] },
];

for (const { why, more, actions, warns } of cases) {
  test(`brokers: ${why}`, () => {
    const plan = planBrokers({ ...input, ...more });
    const shown = plan.actions.map(action => {
      const suffix = action.type === 'update' && action.needsCredentials ? ' with credentials' : '';
      return `${action.type} ${action.type === 'create' ? action.brokerId : action.current.name}${suffix}`;
    });
    assert.deepEqual(shown, actions);
    if (warns === undefined) assert.deepEqual(plan.warnings, []);
    else assert.match(plan.warnings.join(), warns);
  });
}

const accessInput = {
  plans: [{ id: 'p1', catalogId: 'c1', brokerId: 'b1' }],
  scopeLabel: 'organization_guid',
  knownScopes: new Set(['o1', 'o2']),
  nameOf: () => 'sm-pg-b1',
};
const closed = { brokerName: 'sm-pg-b1', catalogPlanId: 'c1', isPublic: false, scopes: [] };
const visibility = (platformId: string, organizations?: string[]): ManagedVisibility => ({
  planId: 'p1',
  platformId,
  labels: organizations === undefined ? {} : { organization_guid: organizations },
});

test('access: without platform or scope a plan is public, and that beats scopes', () => {
  const visibilities = [visibility('cf', ['o1']), visibility('')];
  const { changes } = planAccess({ ...accessInput, visibilities, current: [closed] });
  assert.deepEqual(
    changes.map(({ to }) => to),
    [{ ...closed, isPublic: true }],
  );
});

test('access: the scopes of several visibilities add up', () => {
  const visibilities = [visibility('cf', ['o2']), visibility('cf', ['o1', 'o2'])];
  const { changes } = planAccess({ ...accessInput, visibilities, current: [closed] });
  assert.deepEqual(changes[0]?.to.scopes, ['o1', 'o2']);
});

test('access: a scope that the platform does not have changes nothing, time and again', () => {
  const visibilities = [visibility('cf', ['o1', 'gone'])];
  const current = [{ ...closed, scopes: ['o1'] }];
  assert.deepEqual(planAccess({ ...accessInput, visibilities, current }).changes, []);
});

test('access: a public plan that stays public is not touched', () => {
  const { changes } = planAccess({
    ...accessInput,
    visibilities: [visibility('cf')],
    current: [{ ...closed, isPublic: true }],
  });
  assert.deepEqual(changes, []);
});

test('access: plans without visibilities are closed, and plans that the platform lacks are reported', () => {
  const open = { ...closed, isPublic: true };
  assert.deepEqual(planAccess({ ...accessInput, visibilities: [], current: [open] }).changes, [
    { from: open, to: closed },
  ]);
  assert.equal(planAccess({ ...accessInput, visibilities: [visibility('')], current: [] }).missing.length, 1);
});

test('subjects: a visibility that changes its plan makes both plans worth a look', () => {
  const state = (planId: string) => ({ resource: { service_plan_id: planId }, additional: { broker_id: 'b1' } });
  const payload = { old: state('p1'), new: state('p2') };
  const notification = { id: 'n', resource: '/v1/visibilities', type: 'MODIFIED', revision: 1, payload };
  assert.deepEqual(subjectsOf(notification), [{ type: 'plans', brokerId: 'b1', planIds: ['p1', 'p2'] }]);
  assert.deepEqual(subjectsOf(notification, { isAccessInCatalog: true }).map(subjectKey), ['broker b1']);
});

test('revisions: one that is stuck holds back later ones', () => {
  const revisions = new HandledRevisions(4);
  revisions.received(5, 1);
  revisions.received(7, 1);
  revisions.settled([7]);
  assert.equal(revisions.handled, 4);
  revisions.settled([5]);
  assert.equal(revisions.handled, 7);
});

test('revisions: one that concerns nothing is handled at once; forgetting resets', () => {
  const revisions = new HandledRevisions();
  assert.equal(revisions.handled, undefined);
  revisions.received(3, 0);
  assert.equal(revisions.handled, 3);
  revisions.forget();
  assert.equal(revisions.handled, undefined);
});

test('durations are read as Go writes them', () => {
  const read = ['30s', '1m30s', '500ms', '1.5h', 'soon', ''].map(parseGoDuration);
  assert.deepEqual(read, [30_000, 90_000, 500, 5_400_000, undefined, undefined]);
});
