import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashParameters } from '../json.ts';
import type { BindingRow, InstanceRow, OperationRow, PlanRow } from '../rows.ts';
import { decideBind, decideDelete, decideProvision, decideUpdate } from './decide-repeat.ts';
import { readProvision } from './instance-request.ts';
import type { RepeatDecision } from './repeat-decision.ts';

const plan = { id: 'plan' } as PlanRow;
const request = readProvision({ service_id: 's', plan_id: 'p', organization_guid: 'o', space_guid: 'g' });
const first = { organizationGuid: 'o', spaceGuid: 'g', parametersHash: hashParameters({}) };
const instance = { spec: { planId: 'plan' }, status: { ready: true, request: first } } as InstanceRow;
const begun = { ...instance, status: { ...instance.status, ready: false } } as InstanceRow;
const binding = { status: { requestHash: 'h' } } as BindingRow;

const operation = (type: string, state: string, status: object = {}): OperationRow =>
  ({ spec: { type, requestHash: 'h' }, status: { state, externalId: 'op', ...status } }) as OperationRow;

/** The decision in a word. */
const said = (decision: RepeatDecision): string | number => {
  if (decision.type === 'answer') return decision.status;
  return decision.type === 'refuse' ? decision.error.code : decision.type;
};

const creating = operation('create', 'in progress');
const updating = operation('update', 'in progress');
const deleting = operation('delete', 'in progress');
const waiting = operation('delete', 'pending');
const mitigated = operation('create', 'failed', { deletionScheduledAt: '2026-01-01T00:00:00Z' });
const done = operation('create', 'succeeded');
const undone = operation('delete', 'failed');

const rows: readonly { operation: OperationRow | undefined; name: string; expected: readonly (string | number)[] }[] = [
  // provision same · provision other · update same · update other · delete · bind same · bind other
  {
    name: 'nothing recorded',
    operation: undefined,
    expected: [200, 'Conflict', 'forward', 'forward', 'forward', 'forward', 'Conflict'],
  },
  {
    name: 'created',
    operation: done,
    expected: [200, 'Conflict', 'forward', 'forward', 'forward', 'forward', 'Conflict'],
  },
  {
    name: 'not deleted',
    operation: undone,
    expected: [200, 'Conflict', 'forward', 'forward', 'forward', 'forward', 'Conflict'],
  },
  { name: 'creating', operation: creating, expected: [202, 'Conflict', 'busy', 'busy', 'forward', 202, 'Conflict'] },
  { name: 'updating', operation: updating, expected: ['busy', 'busy', 202, 'busy', 'forward', 'busy', 'busy'] },
  { name: 'deleting', operation: deleting, expected: ['busy', 'busy', 'busy', 'busy', 202, 'busy', 'busy'] },
  {
    name: 'waiting to be deleted',
    operation: waiting,
    expected: ['busy', 'busy', 'busy', 'busy', 202, 'busy', 'busy'],
  },
  {
    name: 'being cleaned up',
    operation: mitigated,
    expected: ['busy', 'busy', 'busy', 'busy', 'forward', 'busy', 'busy'],
  },
];

describe('a request about a resource that is', () => {
  for (const { name, operation: last, expected } of rows) {
    test(name, () => {
      const known = { operation: last, acceptsIncomplete: true };
      const other = { ...request, spaceGuid: 'another' };
      assert.deepEqual(
        [
          decideProvision({ ...known, instance }, plan, request),
          decideProvision({ ...known, instance }, plan, other),
          decideUpdate({ ...known, instance }, 'h'),
          decideUpdate({ ...known, instance }, 'another'),
          decideDelete(known),
          decideBind({ ...known, binding }, 'h'),
          decideBind({ ...known, binding }, 'another'),
        ].map(said),
        expected,
      );
    });
  }
});

test('a repeated update in progress gets the first response', () => {
  const changed = { ...instance, status: { ...instance.status, dashboardUrl: 'https://new.example' } } as InstanceRow;
  assert.deepEqual(decideUpdate({ instance: changed, operation: updating, acceptsIncomplete: true }, 'h'), {
    type: 'answer',
    status: 202,
    body: { dashboard_url: 'https://new.example', operation: 'op' },
  });
});

test('what is not known goes to the broker', () => {
  const known = { operation: undefined, acceptsIncomplete: false };
  assert.equal(said(decideProvision({ ...known, instance: undefined }, plan, request)), 'forward');
  assert.equal(said(decideBind({ ...known, binding: undefined }, 'h')), 'forward');
});

test('an instance that is not ready and has no operation conflicts', () => {
  const known = { operation: undefined, acceptsIncomplete: true };
  assert.equal(said(decideProvision({ ...known, instance: begun }, plan, request)), 'Conflict');
});

test('an instance that was not made over OSB equals no request', () => {
  const known = { operation: undefined, acceptsIncomplete: true };
  const foreign = { spec: { planId: 'plan' }, status: { ready: true } } as InstanceRow;
  assert.equal(said(decideProvision({ ...known, instance: foreign }, plan, request)), 'Conflict');
});

test('the same operation is for those who can wait for it, and has the name that the broker gave', () => {
  const repeated = decideDelete({ operation: deleting, acceptsIncomplete: true });
  assert.deepEqual(repeated, { type: 'answer', status: 202, body: { operation: 'op' } });
  assert.equal(said(decideDelete({ operation: deleting, acceptsIncomplete: false })), 'AsyncRequired');
});
