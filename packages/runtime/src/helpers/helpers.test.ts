import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError, conflict, isError, type KubeObject } from '@chandlery/api';
import { conditionsOf, isConditionTrue, removeCondition, setCondition, setReadySummary } from './conditions.ts';
import { classifyError, terminalError } from './errors.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';
import { controllerKeys, setController } from './owner-references.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const object = (metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'a', namespace: 'default', uid: 'u1', generation: 3, ...metadata },
});
const [early, late] = [new Date('2030-01-01T00:00:00Z'), new Date('2030-01-02T00:00:00Z')];

describe('Conditions', () => {
  it('are sorted, know the generation, and change their time only with their status', () => {
    const boat = object();
    setCondition(boat, { type: 'Ready', status: 'False', reason: 'Building' }, early);
    setCondition(boat, { type: 'Moored', status: 'True', reason: 'Tied' }, early);
    setCondition(boat, { type: 'Ready', status: 'False', reason: 'Painting', message: 'The paint is wet.' }, late);
    assert.deepEqual(
      conditionsOf(boat).map(({ type }) => type),
      ['Moored', 'Ready'],
    );
    const [, ready] = conditionsOf(boat);
    assert.deepEqual([ready?.reason, ready?.lastTransitionTime], ['Painting', '2030-01-01T00:00:00Z']);
    assert.equal(ready?.observedGeneration, 3);
    setCondition(boat, { type: 'Ready', status: 'True', reason: 'Done' }, late);
    assert.equal(conditionsOf(boat)[1]?.lastTransitionTime, '2030-01-02T00:00:00Z');
    removeCondition(boat, 'Moored');
    assert.equal(isConditionTrue(boat, 'Moored'), false);
    assert.equal(isConditionTrue(boat, 'Ready'), true);
  });

  const summaries = [
    { why: 'all are true', states: { A: 'True', B: 'True' }, ready: 'True', reason: 'Available' },
    { why: 'one is false', states: { A: 'True', B: 'False' }, ready: 'False', reason: 'BReason' },
    { why: 'one is missing', states: { A: 'True' }, ready: 'Unknown', reason: 'BUnknown' },
    { why: 'the first one counts', states: { A: 'False', B: 'False' }, ready: 'False', reason: 'AReason' },
  ] as const;
  for (const { why, states, ready, reason } of summaries) {
    it(`are summed up when ${why}`, () => {
      const boat = object();
      for (const [type, status] of Object.entries(states))
        setCondition(boat, { type, status, reason: `${type}Reason` }, early);
      setReadySummary(boat, ['A', 'B'], early);
      const summary = conditionsOf(boat).find(({ type }) => type === 'Ready');
      assert.deepEqual([summary?.status, summary?.reason], [ready, reason]);
    });
  }
});

describe('Finalizers', () => {
  it('are added and removed once', () => {
    const boat = object();
    assert.deepEqual([addFinalizer(boat, 'a/b'), addFinalizer(boat, 'a/b')], [true, false]);
    assert.ok(hasFinalizer(boat, 'a/b'));
    assert.deepEqual([removeFinalizer(boat, 'a/b'), removeFinalizer(boat, 'a/b')], [true, false]);
  });
});

describe('Owner references', () => {
  it('lead back to the controller', () => {
    const sail: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sail', namespace: 'default' } };
    setController(sail, object());
    setController(sail, object());
    assert.equal(sail.metadata.ownerReferences?.length, 1);
    assert.deepEqual(controllerKeys(sail, { group: 'example.org', kind: 'Boat' }), ['default/a']);
    assert.deepEqual(controllerKeys(sail, { group: 'other.org', kind: 'Boat' }), []);
    assert.throws(
      () => setController(sail, object({ uid: 'u2' })),
      (error: unknown) => isError(error, 'AlreadyControlled'),
    );
  });

  it('need an owner that is stored', () => {
    assert.throws(
      () => setController(object(), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }),
      (error: unknown) => isError(error, 'OwnerUnknown'),
    );
  });
});

describe('Errors', () => {
  const lost = conflict({ group: '', resource: 'boats' }, 'a');

  it('are sorted by what helps against them', () => {
    assert.equal(classifyError(terminalError('no')), 'terminal');
    assert.equal(classifyError(lost), 'conflict');
    assert.equal(classifyError(new ChandleryError('Timeout', 'late')), 'transient');
    assert.equal(classifyError('what?'), 'transient');
  });

  it('of a lost race are tried again, others are not', async () => {
    let attempts = 0;
    const lose = (times: number, error: unknown) => async () => {
      attempts += 1;
      if (attempts <= times) throw error;
      return attempts;
    };
    assert.equal(await retryOnConflict(lose(3, lost)), 4);
    attempts = 0;
    await assert.rejects(retryOnConflict(lose(9, lost)), (error: unknown) => error === lost);
    assert.equal(attempts, 5);
    attempts = 0;
    await assert.rejects(retryOnConflict(lose(1, new Error('other'))));
    assert.equal(attempts, 1);
  });
});
