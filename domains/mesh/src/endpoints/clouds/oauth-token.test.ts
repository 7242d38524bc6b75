import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOAuthToken, tokenRequest, withToken } from './oauth-token.ts';

const signal = AbortSignal.timeout(10_000);
const request = async () => tokenRequest(new URL('https://login.example/token'), {});
const response = (status: number, body: object = {}) => ({
  ...{ status, text: JSON.stringify(body) },
  retryAfterSeconds: undefined,
});

/** A login that numbers its tokens, and an API that accepts some. */
function start(isAccepted: (token: string) => boolean) {
  let count = 0;
  const call = async () => response(200, { access_token: `t${++count}`, expires_in: 3600 });
  const token = createOAuthToken({ cloud: 'Azure', call, request });
  const sent: string[] = [];
  const send = async (bearer: string) => {
    sent.push(bearer);
    return response(isAccepted(bearer) ? 200 : 401);
  };
  return { sent, ask: async () => (await withToken(token, send, signal)).status };
}

test('a token is used again until the API rejects it', async () => {
  const revoked = new Set<string>();
  const { ask, sent } = start(token => !revoked.has(token));
  assert.deepEqual([await ask(), await ask()], [200, 200]);
  revoked.add('t1');
  assert.deepEqual(await Promise.all([ask(), ask()]), [200, 200]);
  assert.deepEqual(sent, ['t1', 't1', 't1', 't1', 't2', 't2']);
});

test('an API that accepts no token is asked once more only', async () => {
  const { ask, sent } = start(() => false);
  assert.equal(await ask(), 401);
  assert.deepEqual(sent, ['t1', 't2']);
});
