import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Browsed, Target } from '@chandlery/kernel';
import { searchObjects } from './object-search.ts';
import { testCall, testKind } from './test-call.ts';

const nothing: Browsed = { entries: [], total: 0, states: {}, revision: 1, isIncomplete: false };
const search = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'ObjectSearch', metadata: {}, spec });

interface Found {
  readonly token: string;
  readonly total?: number;
  readonly isIncomplete?: boolean;
  readonly isUnchanged?: boolean;
}

test('a search that fails leaves nothing behind', async () => {
  const browse = async (): Promise<Browsed> => {
    throw new Error('no store');
  };
  const { call, listeners } = testCall({ kinds: [testKind('boats')], calls: { browse } });
  await assert.rejects(searchObjects(call, search({ after: 'x' })), /no store/);
  assert.equal(listeners.size, 0);
});

test('a damaged object hides its own collection alone', async () => {
  const browse = async ({ resource: { kind } }: Target): Promise<Browsed> => {
    if (kind.kind === 'boats') throw new ChandleryError('StoreDamaged', 'damaged');
    return { ...nothing, total: 3 };
  };
  const { call } = testCall({ kinds: [testKind('boats'), testKind('rafts')], calls: { browse } });
  const { total, isIncomplete } = (await searchObjects(call, search({}))) as Found;
  assert.deepEqual([total, isIncomplete], [3, true]);
});

test('a waiting search looks again after a change, not because a collection is too large', async () => {
  let searched = 0;
  const browse = async (): Promise<Browsed> => {
    searched += 1;
    return { ...nothing, total: 20_000, isIncomplete: true };
  };
  const { call, listeners } = testCall({ kinds: [testKind('boats')], calls: { browse } });
  const { token } = (await searchObjects(call, search({}))) as Found;
  const waited = (await searchObjects(call, search({ after: token, timeoutSeconds: 3 }))) as Found;
  assert.deepEqual([waited.token, waited.isUnchanged], [token, true]);
  assert.equal(searched, 3, 'one search before, one at the beginning and one at the end of the waiting');
  assert.equal(listeners.size, 0);
});

test('a waiting search looks again while a collection is being read', async () => {
  let searched = 0;
  const browse = async (): Promise<Browsed | undefined> => {
    searched += 1;
    return searched < 3 ? undefined : nothing;
  };
  const { call } = testCall({ kinds: [testKind('boats')], calls: { browse } });
  const { token, isIncomplete } = (await searchObjects(call, search({}))) as Found;
  assert.equal(isIncomplete, true);
  const { isUnchanged, token: next } = (await searchObjects(call, search({ after: token }))) as Found;
  assert.equal(isUnchanged, undefined);
  assert.notEqual(next, token);
});
