import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import fc from 'fast-check';
import { copyBody, defaultPlace } from './copy-body.ts';
import { decideSync, type SyncAction, type SyncState } from './decide-sync.ts';
import { statusUp } from './status-up.ts';
import { syncFinalizer } from './sync-ownership.ts';
import { certificate, definition } from './test-sync.ts';

const deletionTimestamp = '2030-01-01T00:00:00Z';
const now = new Date(deletionTimestamp);
const object = (metadata: object = {}): KubeObject => ({ ...certificate('x'), metadata: { name: 'x', ...metadata } });
const held = { finalizers: [syncFinalizer] };
const nothing: SyncState = { source: undefined, copy: undefined, isLinked: false, isAsDesired: false };
const carry: SyncAction[] = ['carry-related', 'carry-status'];

const cases: { why: string; state: Partial<SyncState>; actions: SyncAction[] }[] = [
  { why: 'nothing is there', state: {}, actions: [] },
  { why: 'a source is new', state: { source: object() }, actions: ['add-finalizer', 'apply-copy', ...carry] },
  {
    why: 'the process ended before the copy was made',
    state: { source: object(held) },
    actions: ['apply-copy', ...carry],
  },
  {
    why: 'the copy was changed',
    state: { source: object(held), copy: object(), isLinked: true },
    actions: ['apply-copy', ...carry],
  },
  {
    why: 'all is well',
    state: { source: object(held), copy: object(), isLinked: true, isAsDesired: true },
    actions: carry,
  },
  { why: 'another owner has the place', state: { source: object(), copy: object() }, actions: ['report-conflict'] },
  {
    why: 'the copy is going though the source is not',
    state: { source: object(held), copy: object({ deletionTimestamp }), isLinked: true },
    actions: ['wait'],
  },
  {
    why: 'the source is deleted',
    state: { source: object({ ...held, deletionTimestamp }), copy: object(), isLinked: true },
    actions: ['clean-related', 'delete-copy'],
  },
  {
    why: 'the source waits for its copy to go',
    state: { source: object({ ...held, deletionTimestamp }), copy: object({ deletionTimestamp }), isLinked: true },
    actions: ['clean-related', 'wait'],
  },
  {
    why: 'the copy of a deleted source is removed',
    state: { source: object({ ...held, deletionTimestamp }) },
    actions: ['clean-related', 'remove-finalizer'],
  },
  {
    why: 'the source of a conflict is deleted',
    state: { source: object({ ...held, deletionTimestamp }), copy: object() },
    actions: ['clean-related', 'remove-finalizer'],
  },
  { why: 'others hold a deleted source', state: { source: object({ deletionTimestamp }) }, actions: [] },
  { why: 'the source vanished', state: { copy: object(), isLinked: true }, actions: ['clean-related', 'delete-copy'] },
  { why: 'a copy is not ours', state: { copy: object() }, actions: [] },
];

describe('What a pass does', () => {
  for (const { why, state, actions } of cases) {
    it(`when ${why}: ${actions.join(', ') || 'nothing'}`, () =>
      assert.deepEqual(decideSync({ ...nothing, ...state }), actions));
  }

  const objects = fc
    .record({
      finalizers: fc.constantFrom([], [syncFinalizer]),
      deletionTimestamp: fc.option(fc.constant(deletionTimestamp), { nil: undefined }),
    })
    .map(object);
  const states = fc.record({
    source: fc.option(objects, { nil: undefined }),
    copy: fc.option(objects, { nil: undefined }),
    isLinked: fc.boolean(),
    isAsDesired: fc.boolean(),
  });

  it('never touches what is not linked, and never lets a source go while its copy is there', () => {
    fc.assert(
      fc.property(states, state => {
        const actions = decideSync(state);
        if (state.copy !== undefined && !state.isLinked)
          assert.ok(!actions.includes('apply-copy') && !actions.includes('delete-copy'));
        if (actions.includes('remove-finalizer')) assert.ok(state.copy === undefined || !state.isLinked);
        const [first] = actions;
        if (actions.includes('apply-copy') && !state.source?.metadata.finalizers?.length)
          assert.equal(first, 'add-finalizer');
      }),
    );
  });
});

describe('The place of a copy', () => {
  const context = { provider: 'foo', instanceId: 'aaaaaaaa', instanceNamespace: 'foo-aaaaaaaa' };
  const texts = fc.stringMatching(/^[a-z][a-z0-9]{0,80}$/);

  it('is a valid name of its own for every source', () => {
    const sources = fc.tuple(texts, texts).map(([namespace, name]) => object({ namespace, name }));
    fc.assert(
      fc.property(sources, sources, (a, b) => {
        const [placeA, placeB] = [defaultPlace(a, context), defaultPlace(b, context)];
        assert.match(placeA.name, /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
        const isSame = a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
        assert.equal(placeA.name === placeB.name, isSame);
      }),
    );
  });

  it('gets only the metadata that the definition lets through', () => {
    const source = object({ namespace: 'n', labels: { 'ok/a': '1', b: '2' }, annotations: { 'ok/c': '3', d: '4' } });
    const link = { provider: 'foo', instanceId: 'i', owner: 'o/o', role: 'r', source: 'n/x' };
    const body = copyBody({ ...definition, metadataPrefixes: ['ok/'] }, source, { link, place: { name: 'y' } });
    assert.deepEqual([body.metadata.labels?.['ok/a'], body.metadata.labels?.['b']], ['1', undefined]);
    assert.deepEqual([body.metadata.annotations?.['ok/c'], body.metadata.annotations?.['d']], ['3', undefined]);
    assert.equal(body.metadata.finalizers, undefined);
  });
});

describe('The status of a source', () => {
  const source = object({ generation: 5 });
  const copyWith = (status: object | undefined, generation = 2) => ({ ...object({ generation }), status });

  it('is that of the copy, with generations of the source', () => {
    const conditions = [{ type: 'Ready', observedGeneration: 1 }];
    const status = { phase: 'Up', observedGeneration: 2, conditions };
    assert.deepEqual(statusUp(source, copyWith(status), { now }), {
      phase: 'Up',
      observedGeneration: 5,
      conditions: [{ type: 'Ready', observedGeneration: 1 }],
    });
    assert.deepEqual(statusUp(source, copyWith({ observedGeneration: 8 }, 9), { now }), { observedGeneration: 4 });
    assert.equal(statusUp(source, copyWith(undefined), { now }), undefined);
  });

  it('reports an obstacle, always in the same words', () => {
    const obstacle = { reason: 'Conflict' as const, message: 'Taken.' };
    const first = statusUp(source, undefined, { obstacle, now });
    const later = new Date(now.getTime() + 60_000);
    const second = statusUp({ ...source, status: first }, undefined, { obstacle, now: later });
    assert.deepEqual(second, first);
    assert.deepEqual(statusUp({ ...source, status: first }, copyWith({ phase: 'Up' }), { now }), { phase: 'Up' });
  });
});
