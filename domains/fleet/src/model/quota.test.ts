import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetErrorCode } from '../errors.ts';
import type { QuotaGrant } from '../kinds/index.ts';
import { throwsFleetError } from '../test-errors.ts';
import { defaultDocument } from './configuration/default-document.ts';
import { readConfiguration } from './configuration/read-configuration.ts';
import { exampleConfiguration } from './configuration/test-document.ts';
import { claimQuota, entitlementOf, quotaStateOf, typeOfEntitlement } from './quota.ts';

type Grant = QuotaGrant['spec'];

const now = new Date('2030-01-01T00:00:00Z');
const anyOrganisation = '13640203';
const namedOrganisation = '13645369';
const contextOf = (grants: readonly Grant[] = [], configuration = exampleConfiguration()) => ({
  configuration,
  grants,
  now,
});

const subjects: readonly {
  why: string;
  username: string;
  organisation: string;
  grants?: Grant[];
  expected: unknown;
}[] = [
  {
    why: 'any user of a listed organisation',
    username: 'zoe',
    organisation: anyOrganisation,
    expected: { type: 'organisation', limit: 5 },
  },
  {
    why: 'a named user',
    username: 'ann',
    organisation: namedOrganisation,
    expected: { type: 'organisation', limit: 2 },
  },
  { why: 'a colleague who is not named', username: 'zoe', organisation: namedOrganisation, expected: { type: 'none' } },
  { why: 'a user of an unknown organisation', username: 'ann', organisation: 'x', expected: { type: 'none' } },
  { why: 'a service account', username: 'ci-robot', organisation: 'x', expected: { type: 'account', limit: 1 } },
  {
    why: 'the organisation goes before the account',
    username: 'ci-robot',
    organisation: anyOrganisation,
    expected: { type: 'organisation', limit: 5 },
  },
  {
    why: 'a grant to an organisation',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', organisation: 'x', anyUser: true, maxAllowedInstances: 3 }],
    expected: { type: 'organisation', limit: 3 },
  },
  {
    why: 'a grant adds to the list',
    username: 'ann',
    organisation: namedOrganisation,
    grants: [{ product: 'dinosaurs', organisation: namedOrganisation, anyUser: true, maxAllowedInstances: 3 }],
    expected: { type: 'organisation', limit: 5 },
  },
  {
    why: 'a grant that names users ignores anyUser',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', organisation: 'x', anyUser: true, users: ['yan'] }],
    expected: { type: 'none' },
  },
  {
    why: 'a grant to an account, of the default size',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', account: 'zoe' }],
    expected: { type: 'account', limit: 1 },
  },
  {
    why: 'a grant of another product',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'llamas', account: 'zoe' }],
    expected: { type: 'none' },
  },
  {
    why: 'a grant that has expired',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', account: 'zoe', expiresAt: '2030-01-01T00:00:00Z' }],
    expected: { type: 'none' },
  },
  {
    why: 'a grant whose expiry cannot be read',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', account: 'zoe', expiresAt: 'soon' }],
    expected: { type: 'none' },
  },
  {
    why: 'a grant that expires later',
    username: 'zoe',
    organisation: 'x',
    grants: [{ product: 'dinosaurs', account: 'zoe', expiresAt: '2030-01-01T00:00:01Z' }],
    expected: { type: 'account', limit: 1 },
  },
];

for (const { why, grants, expected, ...subject } of subjects)
  test(`entitlement: ${why}`, () => {
    const entitlement = entitlementOf(subject, contextOf(grants));
    assert.deepEqual(entitlement, expected);
    const isRegistered = entitlement.type !== 'none';
    assert.equal(typeOfEntitlement(entitlement), isRegistered ? 'standard' : 'eval');
    const instance = { owner: subject.username, organisation: subject.organisation };
    assert.equal(
      quotaStateOf({ ...instance, instanceType: 'standard' }, contextOf(grants)),
      isRegistered ? 'covered' : 'lost',
    );
    assert.equal(quotaStateOf({ ...instance, instanceType: 'eval' }, contextOf(grants)), 'covered');
  });

test('the built-in configuration registers everybody without a limit', () => {
  const read = readConfiguration(defaultDocument);
  assert.ok('configuration' in read);
  const claim = claimQuota(request('ann', 'acme', 'standard'), contextOf([], read.configuration), usageOf({}));
  assert.deepEqual(claim.demands, []);
  assert.equal(claim.scope, 'quota/dinosaurs/org/acme');
});

const claims: readonly {
  why: string;
  user: [string, string];
  type: string;
  size?: string;
  used?: Record<string, number>;
  settings?: Record<string, unknown>;
  error?: FleetErrorCode;
  reason?: RegExp;
  demands?: unknown;
}[] = [
  {
    why: 'within the organisation',
    user: ['zoe', anyOrganisation],
    type: 'standard',
    used: { 'quota/dinosaurs/org/13640203': 4 },
    demands: [['quota/dinosaurs/org/13640203', 1, 5]],
  },
  {
    why: 'organisation at its limit',
    user: ['zoe', anyOrganisation],
    type: 'standard',
    used: { 'quota/dinosaurs/org/13640203': 5 },
    error: 5,
    reason: /Organization '13640203' .* 5 /,
  },
  {
    why: 'a size that does not fit',
    user: ['zoe', anyOrganisation],
    type: 'standard',
    size: 'x2',
    used: { 'quota/dinosaurs/org/13640203': 4 },
    error: 5,
  },
  {
    why: 'account at its limit',
    user: ['ci-robot', 'x'],
    type: 'standard',
    used: { 'quota/dinosaurs/account/ci-robot': 1 },
    error: 5,
    reason: /User 'ci-robot' .* 1 /,
  },
  {
    why: 'limits are not controlled',
    user: ['zoe', anyOrganisation],
    type: 'standard',
    used: { 'quota/dinosaurs/org/13640203': 9 },
    settings: { enable_instance_limit_control: false },
    demands: [],
  },
  {
    why: 'registered user asks for a trial',
    user: ['zoe', anyOrganisation],
    type: 'eval',
    error: 120,
    reason: /'zoe' is registered/,
  },
  {
    why: 'unregistered user asks for standard',
    user: ['zoe', 'x'],
    type: 'standard',
    error: 120,
    reason: /'zoe' is not registered/,
  },
  {
    why: 'first trial',
    user: ['zoe', 'x'],
    type: 'eval',
    demands: [
      ['trial/dinosaurs/x/zoe', 1, 1],
      ['quota/dinosaurs/trial/zoe', 1, 1],
    ],
  },
  {
    why: 'second trial',
    user: ['zoe', 'x'],
    type: 'eval',
    used: { 'trial/dinosaurs/x/zoe': 1, 'quota/dinosaurs/trial/zoe': 1 },
    error: 24,
    reason: /'zoe' .* 1 allowed trial/,
  },
  {
    why: 'trials have the default limit too',
    user: ['zoe', 'x'],
    type: 'eval',
    used: { 'quota/dinosaurs/trial/zoe': 1 },
    settings: { max_allowed_trial_instances: 2 },
    error: 5,
    reason: /User 'zoe' .* 1 /,
  },
  {
    why: 'trials are not allowed',
    user: ['zoe', 'x'],
    type: 'eval',
    used: { 'trial/dinosaurs/x/zoe': 1 },
    settings: { allow_trial_instances: false },
    error: 4,
  },
  {
    why: 'the trial limit goes before the mismatch',
    user: ['zoe', anyOrganisation],
    type: 'eval',
    settings: { allow_trial_instances: false },
    error: 4,
  },
];

for (const { why, user, type, size, used = {}, settings = {}, error, reason = /./, demands } of claims)
  test(`quota: ${why}`, () => {
    const configuration = exampleConfiguration({ settings });
    const act = () => claimQuota(request(...user, type, size), contextOf([], configuration), usageOf(used));
    if (error !== undefined) return void assert.match(throwsFleetError(act, error, why).message, reason);
    assert.deepEqual(
      act().demands.map(demand => [demand.scope, demand.units, demand.limit]),
      demands,
    );
  });

test('names of organisations and users cannot reach into other scopes', () => {
  const claim = claimQuota(request('a/b', 'x#1', 'eval'), contextOf(), usageOf({}));
  assert.deepEqual(
    claim.demands.map(({ scope }) => scope),
    ['trial/dinosaurs/x%231/a%2Fb', 'quota/dinosaurs/trial/a%2Fb'],
  );
});

function request(username: string, organisation: string, instanceType: string, sizeId = 'x1') {
  const size = exampleConfiguration().instanceTypes.get(instanceType)?.sizes.get(sizeId);
  assert.ok(size);
  return { username, organisation, instanceType, size };
}

function usageOf(used: Readonly<Record<string, number>>) {
  return { used: (scope: string) => used[scope] ?? 0 };
}
