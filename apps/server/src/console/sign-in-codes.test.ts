import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { ManualClock } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { SignInCodes } from './sign-in-codes.ts';

const deposit = { type: 'user', user: { username: 'anne', groups: [] } };
const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'kube-system' };
const isUnauthorized = (error: unknown): boolean => isError(error, 'Unauthorized');

test('a code is exchanged once, by whichever of two replicas is first', async () => {
  await using plane = await startTestPlane();
  const clock = new ManualClock();
  const [first, second] = ['a', 'b'].map(() => new SignInCodes({ client: plane.connect('platform'), clock }));
  assert.ok(first && second);
  const { code } = await first.issue(deposit);
  const outcomes = await Promise.allSettled([first.redeem(code), second.redeem(code)]);
  const [won, ...others] = outcomes.filter(({ status }) => status === 'fulfilled');
  assert.deepEqual([won, others.length], [{ status: 'fulfilled', value: deposit }, 0]);
  await assert.rejects(second.redeem(code), isUnauthorized);
  await assert.rejects(second.redeem('guessed'), isUnauthorized);
});

test('a code expires, and leaves nothing once the next one is issued', async () => {
  await using plane = await startTestPlane();
  const clock = new ManualClock();
  const client = plane.connect('platform');
  const codes = new SignInCodes({ client, clock });
  const { code } = await codes.issue(deposit);
  const stored = JSON.stringify(await client.list(secrets));
  assert.ok(!stored.includes(code), 'the code itself is not stored');
  clock.advance(60_000);
  await codes.issue(deposit);
  assert.equal((await client.list(secrets)).items.length, 1);
  await assert.rejects(codes.redeem(code), isUnauthorized);
});
